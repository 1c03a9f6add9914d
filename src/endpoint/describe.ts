/** The list entry of a definition: the definition without its code, or the entry as the upstream sent it. */
import type { Prompt, Resource, ResourceTemplate, Tool } from '../mcp/mcp.ts'

/** What an absent hint means by the specification. */
const defaultHints: ReadonlyMap<string, unknown> = new Map([
  ['readOnlyHint', false],
  ['destructiveHint', true],
  ['idempotentHint', false],
  ['openWorldHint', true],
])

/** Lists are requested often and change rarely, so each definition is described once. */
function once<Definition extends { readonly listed?: object }>(describe: (definition: Definition) => object) {
  const described = new WeakMap<Definition, object>()
  return (definition: Definition): object => {
    const known = definition.listed ?? described.get(definition)
    if (known) return known
    const description = describe(definition)
    described.set(definition, description)
    return description
  }
}

export const describeTool = once((tool: Tool) => {
  const { run: _, alwaysListed: _1, answersOnce: _2, unrecorded: _3, subject: _4, isPassThrough: _5, ...shown } = tool
  return shown
})
/** Without the output schema, which is often longer than the rest, and without hints that say the default. */
export const describeToolBriefly = once((tool: Tool) => {
  const { outputSchema: _, ...shown } = describeTool(tool) as Omit<Tool, 'run'>
  const hints = Object.entries(tool.annotations).filter(([name, value]) => defaultHints.get(name) !== value)
  return { ...shown, annotations: Object.fromEntries(hints) }
})
export const describeResource = once(({ read: _, watch: _1, ...resource }: Resource) => resource)
export const describeResourceTemplate = once(
  ({ read: _, complete: _1, watch: _2, matches: _3, ...template }: ResourceTemplate) => template,
)
export const describePrompt = once(({ get: _, complete: _1, ...prompt }: Prompt) => prompt)
