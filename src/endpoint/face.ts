/**
 * The view of the endpoint for one kind of token: the management server, or the compositor of a session. It collects
 * what its providers offer and runs calls through its layers.
 */
import { essentials, everyToolset } from '../api/toolsets.ts'
import { firstOf } from '../base/first-of.ts'
import { HubError } from '../base/hub-error.ts'
import type {
  Call,
  Client,
  FaceContents,
  Handler,
  Implementation,
  Layer,
  LoggingLevel,
  Meta,
  Params,
  Prompt,
  PromptInfo,
  Provider,
  Results,
  ServerCapabilities,
  Tool,
  ToolInfo,
} from '../mcp/mcp.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import { describePrompt, describeTool, describeToolBriefly } from './describe.ts'
import { createDispatch } from './dispatch.ts'
import type { CompletionRequest } from './face-completion.ts'
import { createCompletion } from './face-completion.ts'
import type { FaceResources } from './face-resources.ts'
import { createFaceResources } from './face-resources.ts'

export interface Face extends FaceResources, FaceContents {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  capabilities(era: Client['era']): object
  listPrompts(): readonly object[]
  findPrompt(name: string): PromptInfo | undefined
  getPrompt(prompt: PromptInfo, args: Readonly<Record<string, string>>, call: Call): Promise<Results['prompt']>
  complete(request: CompletionRequest, params: Params, call: Call): Promise<object>
  /** A method that MCP does not define. `undefined`: no provider handles it. */
  request(method: string, params: Params, call: Call): Promise<object> | undefined
  notify(method: string, params: Params, call: Call): void
  /** The log level that one connection wants. `undefined`: the connection has ended. */
  setLogLevel(connection: string, level: LoggingLevel | undefined): void
}

export interface FaceOptions {
  readonly id: string
  readonly info: Implementation
  readonly instructions: string
  /** The tools of the toolset `essentials`. By default all, except those of the toolset `search`. */
  readonly isEssential?: (tool: ToolInfo, toolset: string) => boolean
  /** Some providers need the face that they are part of. They get it before it is complete. */
  readonly providers: readonly Provider[] | ((face: FaceContents) => readonly Provider[])
  /** Whether an address belongs to the hub on another face. No upstream may answer for it here. */
  readonly isReserved?: (uri: string) => boolean
  readonly layers?: readonly Layer[]
  /** Selects the tools that lists show. The default shows all. */
  readonly visible?: ShowTools
}

const ownCapabilities: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export type ShowTools = <Shown extends ToolInfo>(tools: readonly Shown[]) => Promise<readonly Shown[]>

export function createFace(options: FaceOptions): Face {
  const { id, info, instructions, isEssential = isNotSearch, layers = [], visible = showAll } = options
  const providers: Provider[] = []
  const dispatch = createDispatch(layers)
  const complete = createCompletion(dispatch)
  const { findTemplate, ...resources } = createFaceResources(providers, dispatch, options.isReserved)
  const toolsOf = (toolsets: readonly string[]) =>
    providers.flatMap(({ toolset, tools }) => {
      const isNamed = toolsets.includes(everyToolset) || toolsets.includes(toolset)
      const isListed = toolsets.includes(essentials) ? (tool: Tool) => isEssential(tool, toolset) : () => false
      return (tools?.() ?? []).filter((tool) => isNamed || tool.alwaysListed || isListed(tool))
    })
  const prompts = () => providers.flatMap((provider) => provider.prompts?.() ?? [])
  const findPrompt = (name: string) => prompts().find((prompt) => prompt.name === name)

  /** A handler that does not know the method has done nothing, so the next one can be asked. */
  async function firstThatKnows(handlers: readonly Handler[], method: string, call: Call): Promise<object> {
    let refusal: unknown
    for (const handler of handlers) {
      const { subject, params } = handler
      try {
        return await dispatch({ kind: 'request', subject, method, params }, call, (passed) => handler.run(passed))
      } catch (error) {
        if (!isUnknown(error, method)) throw error
        refusal ??= error
      }
    }
    throw refusal
  }

  const face: Face = {
    id,
    info,
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
    async listTools(toolsets) {
      const describe = toolsets.includes(essentials) ? describeToolBriefly : describeTool
      return (await visible(toolsOf(toolsets))).map(describe)
    },
    findTool(name) {
      // Tries the exact spelling first, since an upstream's tool may have a dot in its name.
      return firstOf(name.includes('.') ? spellings(name) : [name], (spelt) =>
        firstOf(providers, ({ tools, findTool }) =>
          findTool ? findTool(spelt) : tools?.().find((tool) => tool.name === spelt),
        ),
      )
    },
    async callTool(tool, given, call) {
      const args = tool.prepare ? await tool.prepare(given) : given
      // The tool comes from a provider of this face. Its type only hides `run`.
      return dispatch({ kind: 'tool', tool, arguments: args }, call, (passed) => (tool as Tool).run(args, passed))
    },
    ...resources,
    listPrompts: () => prompts().map(describePrompt),
    findPrompt,
    getPrompt(prompt, args, call) {
      const { subject, original = prompt.name } = prompt
      const params = { ...call.params, name: original }
      return dispatch({ kind: 'prompt', subject, params }, call, (passed) => (prompt as Prompt).get(args, passed))
    },
    complete(request, params, call) {
      const { ref } = request
      const completed = ref.type === 'ref/prompt' ? findPrompt(ref.name) : findTemplate(ref.uri)
      return complete(completed, request, params, call)
    },
    request(method, params, call) {
      const handlers = providers.flatMap((provider) => provider.requestHandlers?.(method, params) ?? [])
      return handlers.length > 0 ? firstThatKnows(handlers, method, call) : undefined
    },
    notify(method, asked, call) {
      const handlers = providers.flatMap((provider) => provider.notificationHandlers?.(method, asked) ?? [])
      for (const handler of handlers) {
        const { subject, params } = handler
        // A notification has no answer, so a failure is not reported.
        dispatch({ kind: 'notify', subject, method, params }, call, (passed) => handler.run(passed)).catch(() => {})
      }
    },
    setLogLevel(connection, level) {
      for (const provider of providers) provider.setLogLevel?.(connection, level)
    },
    async waitForStart(waiter) {
      await Promise.all(providers.flatMap((provider) => provider.waitForStart?.(waiter) ?? []))
    },
    whyMissing: (tool) => firstOf(providers, (provider) => provider.whyMissing?.(tool)),
    notes() {
      const all = providers.flatMap((provider) => provider.notes?.() ?? [])
      return all.length > 0 ? (Object.assign({}, ...all) as Meta) : undefined
    },
  }
  providers.push(...(typeof options.providers === 'function' ? options.providers(face) : options.providers))
  assertNoDoubles(id, providers)
  return face
}

const showAll: ShowTools = async (tools) => tools

function isNotSearch(_: ToolInfo, toolset: string): boolean {
  return toolset !== 'search'
}

/** Accepted but never listed: `model.create_session` means create_session, `code.advice` means code_advice. */
function spellings(name: string): readonly string[] {
  return [name, name.slice(name.indexOf('.') + 1), name.replace('.', '_')]
}

/** A handler reports a task that belongs to another upstream as an invalid parameter. */
function isUnknown(error: unknown, method: string): boolean {
  if (!(error instanceof RpcError)) return false
  if (error.code === errorCode.methodNotFound) return true
  return method.startsWith('tasks/') && error.code === errorCode.invalidParams
}

/** Two features with the same tool name are a bug. The hub does not start, because one tool would hide the other. */
function assertNoDoubles(id: string, providers: readonly Provider[]): void {
  const seen = new Set<string>()
  for (const { name } of providers.flatMap((provider) => provider.tools?.() ?? [])) {
    if (seen.has(name)) throw new HubError('conflict', `Two providers of "${id}" offer a tool named "${name}".`)
    seen.add(name)
  }
}
