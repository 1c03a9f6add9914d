/** The list entry of a definition: the definition without its code, or the entry as the upstream sent it. */
import type { JsonSchema, Prompt, Resource, ResourceTemplate, Tool } from '../mcp/mcp.ts'

/**
 * A short list omits hints with these values. They are the defaults of MCP, except `openWorldHint`, which is listed
 * only if the world is open.
 */
const unsaidHints: ReadonlyMap<string, unknown> = new Map([
  ['readOnlyHint', false],
  ['destructiveHint', true],
  ['idempotentHint', false],
  ['openWorldHint', false],
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
  const { run: _, prepare: _1, alwaysListed: _2, answersOnce: _3, unrecorded: _4, ...rest } = tool
  const { subject: _5, isPassThrough: _6, ...shown } = rest
  return shown
})
/**
 * Leaves out the output schema, which is often longer than the rest, hints with the values above, and limits and
 * patterns of values, since a tool explains a wrong value.
 */
export const describeToolBriefly = once((tool: Tool) => {
  const { outputSchema: _, annotations, inputSchema, ...shown } = describeTool(tool) as Omit<Tool, 'run'>
  const hints = Object.entries(annotations).filter(([name, value]) => unsaidHints.get(name) !== value)
  return {
    ...shown,
    ...(hints.length > 0 && { annotations: Object.fromEntries(hints) }),
    inputSchema: withoutLimits(inputSchema),
  }
})

const limits = new Set(['minimum', 'maximum', 'pattern'])

/** A property may be named like a limit, but its value is then a schema. */
function withoutLimits(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (limits.has(key) && typeof value !== 'object' ? undefined : value)),
  ) as JsonSchema
}
export const describeResource = once(({ read: _, watch: _1, ...resource }: Resource) => resource)
export const describeResourceTemplate = once(
  ({ read: _, complete: _1, watch: _2, matches: _3, ...template }: ResourceTemplate) => template,
)
export const describePrompt = once(({ get: _, complete: _1, ...prompt }: Prompt) => prompt)
