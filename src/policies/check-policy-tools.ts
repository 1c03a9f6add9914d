/** check_policy, list_tool_names */
import { z } from 'zod'
import { commonOwnTools, ownMount } from '../api/own-tools.ts'
import { effects } from '../api/policy.ts'
import { terminalToolNames } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { KnownMount, OutlinedRule } from '../policy/policy.ts'
import { compilePolicy, findUnknownName, outlinePolicy } from '../policy/policy.ts'
import type { ToolNames } from './explain.ts'

const checkSchema = z.object({
  fault: z.object({ line: z.int(), message: z.string() }).optional().describe('Why it could not be saved.'),
  rules: z.array(z.object({ number: z.int(), line: z.int(), effect: z.enum(effects) })),
  unknown_tools: z
    .array(z.object({ line: z.int(), name: z.string(), did_you_mean: z.string().optional() }))
    .describe('Names that match no tool that the hub knows now. A rule may name a tool that comes later.'),
})

export function createCheckPolicyTools(names: Pick<ToolNames, 'known'>): readonly Tool[] {
  return [
    defineTool({
      name: 'check_policy',
      description:
        'Whether a policy could be saved, the lines of its rules, and names in it that no tool has. Nothing is saved.',
      input: z.strictObject({ source: z.string().describe('The whole document, YAML or JSON.') }),
      output: checkSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ source }) {
        try {
          await compilePolicy(source, { scope: 'hub', version: 0 })
          const rules = await outlinePolicy(source)
          return {
            rules: rules.map(({ tools: _, ...rule }) => rule),
            unknown_tools: unknownIn(rules, await all(names)),
          }
        } catch (error) {
          if (!(error instanceof HubError)) throw error
          return { fault: faultOf(error), rules: [], unknown_tools: [] }
        }
      },
    }),
    defineTool({
      name: 'list_tool_names',
      description:
        'The names by which policies know the tools of agents, for as many as the hub has seen: of its own mounts, of connectors, and built into agents.',
      input: z.strictObject({}),
      output: z.object({
        tools: z.array(z.string()),
        unlisted: z.array(z.string()).describe('Mounts whose tools the hub has not seen yet.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run() {
        const mounts = await all(names)
        return {
          tools: [...new Set(mounts.flatMap(({ tools = [] }) => tools))].toSorted(),
          unlisted: mounts.flatMap(({ mount, tools }) => (tools ? [] : [mount])),
        }
      },
    }),
  ]
}

/** These exist whether or not a session has them now. */
const always: readonly KnownMount[] = [
  { mount: 'terminal', tools: terminalToolNames.map((name) => `terminal_${name}`) },
  { mount: ownMount, tools: commonOwnTools },
]

async function all(names: Pick<ToolNames, 'known'>): Promise<readonly KnownMount[]> {
  const seen = await names.known()
  return [...always, ...seen.filter(({ mount, tools }) => tools || !always.some((each) => each.mount === mount))]
}

function unknownIn(rules: readonly OutlinedRule[], mounts: readonly KnownMount[]) {
  return rules.flatMap(({ tools }) =>
    tools.flatMap(({ name, line }) => {
      const unknown = findUnknownName(name, mounts)
      if (!unknown) return []
      const { didYouMean } = unknown
      return [{ line, name, ...(didYouMean !== undefined && { did_you_mean: didYouMean }) }]
    }),
  )
}

function faultOf({ message, data }: HubError): { readonly line: number; readonly message: string } {
  const line = typeof data?.['line'] === 'number' ? data['line'] : 1
  return { line, message: message.replace(`line ${line}: `, '') }
}
