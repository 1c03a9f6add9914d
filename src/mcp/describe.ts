/** What lists show of a definition: itself, without what runs it, or an upstream's own words. */
import type { Prompt, Resource, ResourceTemplate, Tool } from './provider.ts'

const described = new WeakMap<object, object>()

/** Lists are asked for often and change rarely: each definition is described once. */
function once<Definition extends { readonly listed?: object }>(describe: (definition: Definition) => object) {
  return (definition: Definition): object => {
    const known = definition.listed ?? described.get(definition)
    if (known) return known
    const description = describe(definition)
    described.set(definition, description)
    return description
  }
}

export const describeTool = once(({ run: _, alwaysListed: _1, answersOnce: _2, unrecorded: _3, ...tool }: Tool) => {
  const { policyName: _4, policyAliases: _5, route: _6, upstream: _7, isPassage: _8, ...shown } = tool
  return shown
})
export const describeResource = once(({ read: _, watch: _1, ...resource }: Resource) => resource)
export const describeResourceTemplate = once(
  ({ read: _, complete: _1, watch: _2, matches: _3, ...template }: ResourceTemplate) => template,
)
export const describePrompt = once(({ get: _, complete: _1, ...prompt }: Prompt) => prompt)
