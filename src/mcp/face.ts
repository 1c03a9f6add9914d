/**
 * What the holder of one kind of token sees of the endpoint: the management server, or the compositor of a session.
 * It gathers what its providers offer and runs calls through its layers.
 */
import { HubError } from '../base/hub-error.ts'
import type { Call, InputRequired, Prompt, Provider, Resource, ResourceTemplate, Tool } from './provider.ts'
import type { CallToolResult, Implementation, ReadResourceResult } from './sdk.ts'
import { UriTemplate } from './sdk.ts'

export interface Face {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  /** A toolset shortens this list only: every tool stays callable. */
  listTools(toolsets: readonly string[]): readonly object[]
  findTool(name: string): Tool | undefined
  callTool(tool: Tool, args: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult | InputRequired>
  listResources(): readonly object[]
  listResourceTemplates(): readonly object[]
  /** `undefined`: there is no such resource. */
  readResource(uri: string, call: Call): Promise<ReadResourceResult | InputRequired | undefined>
  hasResource(uri: string): boolean
  listPrompts(): readonly object[]
  findPrompt(name: string): Prompt | undefined
  findResourceTemplate(uriTemplate: string): ResourceTemplate | undefined
}

/** What wraps each tool call: recording, later policy and approval. */
export type Layer = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  call: Call,
  next: RunTool,
) => ReturnType<RunTool>
export type RunTool = () => Promise<CallToolResult | InputRequired>

export interface FaceOptions {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  readonly providers: readonly Provider[]
  readonly layers?: readonly Layer[]
}

export function createFace({ id, info, instructions, providers, layers = [] }: FaceOptions): Face {
  assertNoDoubles(id, providers)
  const resources = () => providers.flatMap((provider) => provider.resources?.() ?? [])
  const templates = () => providers.flatMap((provider) => provider.resourceTemplates?.() ?? [])
  const prompts = () => providers.flatMap((provider) => provider.prompts?.() ?? [])
  const findResource = (uri: string) => resources().find((resource) => resource.uri === uri)

  return {
    id,
    info,
    instructions,
    listTools: (toolsets) =>
      providers.flatMap(({ toolset, tools }) => {
        const isAskedFor = toolsets.includes('all') || toolsets.includes(toolset)
        return (tools?.() ?? []).filter((tool) => isAskedFor || tool.alwaysListed).map(describeTool)
      }),
    findTool(name) {
      const names = name.includes('.') ? spellings(name) : [name]
      for (const { tools } of providers) {
        const found = tools?.().find((tool) => names.includes(tool.name))
        if (found) return found
      }
      return undefined
    },
    callTool: (tool, args, call) => runThrough(layers, tool, args, call),
    listResources: () => resources().map(describeResource),
    listResourceTemplates: () => templates().map(describeResourceTemplate),
    async readResource(uri, call) {
      const resource = findResource(uri)
      if (resource) return resource.read(call)
      for (const template of templates()) {
        const variables = matchTemplate(template, uri)
        const contents = variables && (await template.read(uri, variables, call))
        if (contents) return contents
      }
      return undefined
    },
    hasResource: (uri) =>
      findResource(uri) !== undefined || templates().some((template) => matchTemplate(template, uri) !== undefined),
    listPrompts: () => prompts().map(describePrompt),
    findPrompt: (name) => prompts().find((prompt) => prompt.name === name),
    findResourceTemplate: (uriTemplate) => templates().find((template) => template.uriTemplate === uriTemplate),
  }
}

/** Answered, though never listed: `model.create_session` is create_session, `code.advice` is code_advice. */
function spellings(name: string): readonly string[] {
  return [name, name.slice(name.indexOf('.') + 1), name.replace('.', '_')]
}

function runThrough(layers: readonly Layer[], tool: Tool, args: Readonly<Record<string, unknown>>, call: Call) {
  const enter = (depth: number): ReturnType<RunTool> => {
    const layer = layers[depth]
    return layer ? layer(tool, args, call, () => enter(depth + 1)) : tool.run(args, call)
  }
  return enter(0)
}

/** Two features that claim one name are a fault of ours: better no hub than one that hides a tool. */
function assertNoDoubles(id: string, providers: readonly Provider[]): void {
  const seen = new Set<string>()
  for (const { name } of providers.flatMap((provider) => provider.tools?.() ?? [])) {
    if (seen.has(name)) throw new HubError('conflict', `Two providers of "${id}" offer a tool named "${name}".`)
    seen.add(name)
  }
}

const described = new WeakMap<object, object>()

/** Lists are asked for often and change rarely: each definition is described once. */
function once<Definition extends object>(describe: (definition: Definition) => object) {
  return (definition: Definition): object => {
    const known = described.get(definition)
    if (known) return known
    const description = describe(definition)
    described.set(definition, description)
    return description
  }
}

const describeTool = once(({ run: _, alwaysListed: __, answersOnce: ___, unrecorded: ____, ...tool }: Tool) => tool)
const describeResource = once(({ read: _, ...resource }: Resource) => resource)
const describeResourceTemplate = once(({ read: _, complete: __, ...template }: ResourceTemplate) => template)
const describePrompt = once(({ get: _, complete: __, ...prompt }: Prompt) => prompt)

const parsedTemplates = new WeakMap<ResourceTemplate, UriTemplate>()

function matchTemplate(template: ResourceTemplate, uri: string) {
  let parsed = parsedTemplates.get(template)
  if (!parsed) parsedTemplates.set(template, (parsed = new UriTemplate(template.uriTemplate)))
  return parsed.match(uri) ?? undefined
}
