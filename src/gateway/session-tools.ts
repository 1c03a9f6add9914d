/** `list_session_tools`: what the agent of a session sees, shown to people, with what the policy says of it. */
import { z } from 'zod'
import { effects } from '../api/policy.ts'
import type { SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Face, Provider, Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { Mount } from './mount.ts'
import { ownMountOf, policyNames } from './names.ts'
import type { Foresight } from './visible-tools.ts'

export interface SessionToolsOptions {
  readonly findSession: (nameOrId: string) => Promise<{ id: string; name: string; status: SessionStatus }>
  readonly compositorOf: (session: string) => Face
  readonly foresee: (session: string) => Promise<Foresight>
  readonly mountsOf: (session: string) => readonly Mount[]
}

const seenTool = z.object({
  name: z.string().describe('As the agent sees it.'),
  mount: z.string(),
  original: z.string().optional().describe('As the upstream names it, where that differs.'),
  description: z.string().optional(),
  policy: z.enum(effects).optional().describe('Whatever the arguments are; absent where they make a difference.'),
})

const missingMount = z.object({ mount: z.string(), state: z.string(), error: z.string().optional() })

export function createSessionToolsProvider(options: SessionToolsOptions): Provider {
  const { findSession, compositorOf, foresee, mountsOf } = options
  const tool = defineTool({
    name: 'list_session_tools',
    description:
      'The tools of the agent of a session, where each comes from, and what its policy says of it. ' +
      'What is denied or aborted whatever the arguments, the agent is not shown.',
    input: z.strictObject({ session: z.string().min(1).max(200).describe('Name or id.') }),
    output: z.object({
      session: z.string(),
      tools: z.array(seenTool),
      missing: z.array(missingMount).optional().describe('Mounts whose tools are not there, and why.'),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ session }) {
      const { id, name, status } = await findSession(session)
      if (isOver(status)) throw new HubError('conflict', `"session": "${name}" has ended; no agent sees tools in it.`)
      const face = compositorOf(id)
      await face.comingUp()
      const mounts = mountsOf(id)
      const policyOf = await foresee(id).catch(asHubError)
      const tools = face.tools(face.defaultToolsets).map((seen) => {
        const policy = policyOf(policyNames(seen))
        return { ...shown(seen, mounts), ...(policy && { policy }) }
      })
      const missing = z.array(missingMount).safeParse(face.notes()?.['io.signalbox/missing'])
      return { session: name, tools, ...(missing.success && { missing: missing.data }) }
    },
  })
  return { toolset: 'connectors', tools: () => [tool] }
}

function asHubError(error: unknown): never {
  throw error instanceof PolicyFailure ? new HubError('unavailable', error.message, { cause: error }) : error
}

function shown(tool: Tool, mounts: readonly Mount[]): z.input<typeof seenTool> {
  const { name, policyName, description } = tool
  const label = mounts.find(({ definitions }) => definitions.toolsByName.get(name) === tool)?.bound.label
  const mount = label ?? ownMountOf(name) ?? 'hub'
  const original = label === undefined ? undefined : policyName?.slice(label.length + 1)
  return {
    name,
    mount,
    ...(original !== undefined && original !== name && { original }),
    ...(description !== '' && { description }),
  }
}
