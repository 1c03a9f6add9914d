/**
 * What the holder of one kind of token sees of the endpoint: the management server, or the compositor of a session.
 * It gathers what its providers offer and runs calls through its layers.
 */
import { firstOf } from '../base/first-of.ts'
import { HubError } from '../base/hub-error.ts'
import { describePrompt, describeTool } from './describe.ts'
import type { FaceResources } from './face-resources.ts'
import { createFaceResources } from './face-resources.ts'
import type { Call, Client, InputRequired, Prompt, Provider, Tool } from './provider.ts'
import type { CallToolResult, Implementation, LoggingLevel, ServerCapabilities } from './sdk.ts'
import type { Meta, Params } from './wire.ts'

export interface Face extends FaceResources {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  capabilities(era: Client['era']): object
  /** Listed where neither the request nor the token names any. */
  readonly defaultToolsets: readonly string[]
  /** Whether its holder is shown them or not. */
  tools(toolsets: readonly string[]): readonly Tool[]
  /** A toolset shortens this list only: every tool stays callable. */
  listTools(toolsets: readonly string[]): Promise<readonly object[]>
  findTool(name: string): Tool | undefined
  callTool(tool: Tool, args: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult | InputRequired>
  listPrompts(): readonly object[]
  findPrompt(name: string): Prompt | undefined
  /** A method that MCP does not know; `undefined`: nobody does. */
  request(method: string, params: Params, call: Call): Promise<object> | undefined
  notify(method: string, params: Params, call: Call): void
  /** What one connection wants to hear; `undefined`: it is gone. */
  setLogLevel(connection: string, level: LoggingLevel | undefined): void
  /** Waits for what is just coming up: a moment, or until it is known whether there is a tool of this name. */
  comingUp(name?: string): Promise<void>
  whyMissing(tool: string): string | undefined
  /** What a client should know about the lists. */
  notes(): Meta | undefined
}

/** What wraps each tool call: recording, policy and approval. */
export type Layer = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  call: Call,
  next: RunTool,
) => ReturnType<RunTool>
/** With the call as a layer hands it on, where that is another. */
export type RunTool = (call?: Call) => Promise<CallToolResult | InputRequired>

export interface FaceOptions {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  readonly defaultToolsets?: readonly string[]
  readonly providers: readonly Provider[]
  readonly layers?: readonly Layer[]
  /** Those of the tools that lists show; all, where it is left out. */
  readonly visible?: (tools: readonly Tool[]) => Promise<readonly Tool[]>
}

const ownCapabilities: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

const shortList: readonly string[] = ['sessions', 'terminal', 'approvals']

export function createFace(options: FaceOptions): Face {
  const { id, info, instructions, defaultToolsets = shortList, providers, layers = [], visible = showAll } = options
  assertNoDoubles(id, providers)
  const toolsOf = (toolsets: readonly string[]) =>
    providers.flatMap(({ toolset, tools }) => {
      const isAskedFor = toolsets.includes('all') || toolsets.includes(toolset)
      return (tools?.() ?? []).filter((tool) => isAskedFor || tool.alwaysListed)
    })
  const prompts = () => providers.flatMap((provider) => provider.prompts?.() ?? [])

  return {
    id,
    info,
    defaultToolsets,
    get instructions() {
      return [instructions, ...providers.flatMap((provider) => provider.instructions?.() ?? [])].join('\n\n')
    },
    capabilities: (era) =>
      Object.assign(
        {},
        ...providers.flatMap((provider) => provider.capabilities?.(era) ?? []),
        ownCapabilities,
      ) as object,
    tools: toolsOf,
    listTools: async (toolsets) => (await visible(toolsOf(toolsets))).map(describeTool),
    findTool(name) {
      // First as it is spelt: others may have names with dots of their own.
      return firstOf(name.includes('.') ? spellings(name) : [name], (spelt) =>
        firstOf(providers, ({ tools, findTool }) =>
          findTool ? findTool(spelt) : tools?.().find((tool) => tool.name === spelt),
        ),
      )
    },
    callTool: (tool, args, call) => runThrough(layers, tool, args, call),
    ...createFaceResources(providers),
    listPrompts: () => prompts().map(describePrompt),
    findPrompt: (name) => prompts().find((prompt) => prompt.name === name),
    request: (method, params, call) => firstOf(providers, (provider) => provider.request?.(method, params, call)),
    notify(method, params, call) {
      for (const provider of providers) provider.notify?.(method, params, call)
    },
    setLogLevel(connection, level) {
      for (const provider of providers) provider.setLogLevel?.(connection, level)
    },
    async comingUp(name) {
      await Promise.all(providers.flatMap((provider) => provider.comingUp?.(name) ?? []))
    },
    whyMissing: (tool) => firstOf(providers, (provider) => provider.whyMissing?.(tool)),
    notes() {
      const all = providers.flatMap((provider) => provider.notes?.() ?? [])
      return all.length > 0 ? (Object.assign({}, ...all) as Meta) : undefined
    },
  }
}

const showAll = async (tools: readonly Tool[]) => tools

/** Answered, though never listed: `model.create_session` is create_session, `code.advice` is code_advice. */
function spellings(name: string): readonly string[] {
  return [name, name.slice(name.indexOf('.') + 1), name.replace('.', '_')]
}

function runThrough(layers: readonly Layer[], tool: Tool, args: Readonly<Record<string, unknown>>, given: Call) {
  const enter = (depth: number, call: Call): ReturnType<RunTool> => {
    const layer = layers[depth]
    if (!layer) return tool.run(args, call)
    return layer(tool, args, call, (handedOn = call) => enter(depth + 1, handedOn))
  }
  return enter(0, given)
}

/** Two features that claim one name are a fault of ours: better no hub than one that hides a tool. */
function assertNoDoubles(id: string, providers: readonly Provider[]): void {
  const seen = new Set<string>()
  for (const { name } of providers.flatMap((provider) => provider.tools?.() ?? [])) {
    if (seen.has(name)) throw new HubError('conflict', `Two providers of "${id}" offer a tool named "${name}".`)
    seen.add(name)
  }
}
