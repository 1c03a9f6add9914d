/** `list_session_tools`: shows people the tools of a session's agent, with the policy decision on each. */
import { z } from 'zod'
import { effects } from '../api/policy.ts'
import type { SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { searchedToolsets } from '../api/toolsets.ts'
import { HubError } from '../base/hub-error.ts'
import type { FaceContents, Provider, ToolInfo } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { Mount } from './mount.ts'
import { ownMountOf, policyNames } from './names.ts'
import type { Foresight } from './visible-tools.ts'

/** The compositor of each session. */
export interface Compositors {
  of(session: string): FaceContents
}

export interface SessionToolsOptions {
  readonly findSession: (nameOrId: string) => Promise<{
    id: string
    name: string
    status: SessionStatus
    workspacePath: string
    confined?: object | undefined
  }>
  readonly compositors: Compositors
  readonly policies: { predict(session: string): Promise<Foresight> }
  readonly mountsOf: (session: string) => readonly Mount[]
}

const seenTool = z.object({
  name: z.string().describe('As the agent sees it.'),
  mount: z.string(),
  original: z.string().optional().describe('As the upstream names it, where that differs.'),
  description: z.string().optional(),
  policy: z.enum(effects).optional().describe('The same for all arguments; absent if it depends on them.'),
})

const missingMount = z.object({ mount: z.string(), state: z.string(), error: z.string().optional() })

export function createSessionToolsProvider(options: SessionToolsOptions): Provider {
  const { findSession, compositors, policies, mountsOf } = options
  const tool = defineTool({
    name: 'list_session_tools',
    description:
      'The tools of the agent of a session, where each comes from, and what its policy decides. ' +
      'The agent does not see tools that are denied or aborted for all arguments.',
    input: z.strictObject({ session: z.string().min(1).max(200).describe('Name or id.') }),
    output: z.object({
      session: z.string(),
      tools: z.array(seenTool),
      list_bytes: z.int().describe('The length of the list that the agent gets, as JSON.'),
      missing: z.array(missingMount).optional().describe('Mounts whose tools are missing, and why.'),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ session }) {
      const { id, name, status } = await findSession(session)
      if (isOver(status)) throw new HubError('conflict', `"session": "${name}" has ended; no agent sees tools in it.`)
      const face = compositors.of(id)
      await face.waitForStart()
      const mounts = mountsOf(id)
      const policyOf = await policies.predict(id).catch(asHubError)
      const tools = face.tools(searchedToolsets).map((seen) => {
        const policy = policyOf(policyNames(seen))
        return { ...shown(seen, mounts), ...(policy && { policy }) }
      })
      const listed = await face.listTools(searchedToolsets)
      const missing = z.array(missingMount).safeParse(face.notes()?.['io.signalbox/missing'])
      return { session: name, tools, list_bytes: bytesOf(listed), ...(missing.success && { missing: missing.data }) }
    },
  })
  return { toolset: 'connectors', tools: () => [tool] }
}

function bytesOf(listed: readonly object[]): number {
  return Buffer.byteLength(JSON.stringify(listed))
}

function asHubError(error: unknown): never {
  throw error instanceof PolicyFailure ? new HubError('unavailable', error.message, { cause: error }) : error
}

function shown(tool: ToolInfo, mounts: readonly Mount[]): z.input<typeof seenTool> {
  const { name, subject, description } = tool
  const label = mounts.find(({ definitions }) => definitions.toolsByName.get(name) === tool)?.bound.label
  const mount = label ?? ownMountOf(name) ?? 'hub'
  const original = label === undefined ? undefined : subject?.tool.slice(label.length + 1)
  return {
    name,
    mount,
    ...(original !== undefined && original !== name && { original }),
    ...(description !== '' && { description }),
  }
}
