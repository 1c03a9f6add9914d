/**
 * How a feature offers tools, resources and prompts over MCP. The feature has one `Provider` for both eras, in a file of
 * its own, and `hub.ts` adds it to a face. The face reads the lists again for each request, so a provider may change
 * them. It then calls `Notices.listChanged`.
 */
import type { Principal } from '../base/principal.ts'
import type {
  CallToolResult,
  ClientCapabilities,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  PromptArgument,
  ReadResourceResult,
  ToolAnnotations,
} from './sdk.ts'
import type { Meta, Params } from './wire.ts'

export interface Provider {
  /** The toolset its tools belong to (API, "Toolsets"). */
  readonly toolset: string
  /** Its contents come from upstreams. Their resources never replace resources of the hub. */
  readonly isForeign?: boolean
  tools?(): readonly Tool[]
  resources?(): readonly Resource[]
  resourceTemplates?(): readonly ResourceTemplate[]
  prompts?(): readonly Prompt[]
  /** Faster than a search through a long list. */
  findTool?(name: string): Tool | undefined
  /** A resource that can be read although no list names it. `mount` selects one mount if several have the resource. */
  resourceAt?(uri: string, mount?: string): Resource | undefined
  /** Handlers that may know a method which MCP does not define, in the order in which they are tried. */
  requestHandlers?(method: string, params: Params): readonly Handler[]
  /** Handlers of a client's notification, such as that its roots have changed. */
  notificationHandlers?(method: string, params: Params): readonly Handler[]
  /** A connection wants log lines of this level and above. `undefined`: the connection has ended. */
  setLogLevel?(connection: string, level: LoggingLevel | undefined): void
  /** While it starts: a promise that lists wait for, and calls to a tool it might provide. */
  waitForStart?(waiter?: Waiter): Promise<void> | undefined
  /** Why there is no tool of this name, if that is known. */
  whyMissing?(tool: string): string | undefined
  /** Notes for the client about the lists, for their `_meta`. */
  notes?(): Meta | undefined
  instructions?(): string | undefined
  /** Capabilities for clients of this era, in addition to those of the hub itself. */
  capabilities?(era: Client['era']): Readonly<Record<string, unknown>>
}

/** A call or a list that waits for a provider to start. */
export interface Waiter {
  /** A call to a tool that the provider might have. */
  readonly tool?: string | undefined
  /** A client's list. How long it waits depends on the client. */
  readonly list?: Call
}

/**
 * The identity of an offered thing for policy and record. Things without a subject belong to the hub and need no
 * decision.
 */
export interface PolicySubject {
  /** `<mount>_<tool>`, as rules name it. */
  readonly tool: string
  /** Other names under which a policy may forbid it. */
  readonly aliases?: readonly string[]
  /** For the record: how it is answered, such as `mcp:stdio`, and by which upstream. */
  readonly route?: string
  readonly upstream?: string
}

/** Answers a method that MCP does not define, or takes a notification. */
export interface Handler {
  readonly subject?: PolicySubject
  /** The params that the policy decides on, exactly as they are sent on. */
  readonly params: Params
  run(call: Call): Promise<object>
}

/** `defineTool` makes one from zod schemas. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema | undefined
  readonly annotations: ToolAnnotations
  /** Listed with every selection of toolsets. */
  readonly alwaysListed?: boolean
  /** Its answer contains a secret, so it is sent once and never stored. A client cannot resume to get it again. */
  readonly answersOnce?: boolean
  /** Arguments that no event records, such as typed input. */
  readonly unrecorded?: readonly string[]
  /** It only calls another tool, and the gate decides on and records that call. */
  readonly isPassThrough?: boolean
  /** Without a subject, the policy decides under the tool's own name. */
  readonly subject?: PolicySubject
  /** The list entry as the upstream sent it. Lists show it instead of this definition. */
  readonly listed?: object
  /** The arguments in the one form that policy, person, record and tool see, such as a name in place of an id. */
  prepare?(args: Params): Promise<Params>
  run(args: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult | InputRequired>
}

export interface Resource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  readonly subject?: PolicySubject
  readonly listed?: object
  read(call: Call): Promise<ReadResourceResult | InputRequired>
  /** Called before a subscription is accepted. Throws if changes cannot be reported. */
  watch?(call: Call, follower: Follower): Promise<void>
}

/** A session's clients subscribe with MCP, its agent with a tool. Each can end only its own subscriptions. */
export type Follower = 'clients' | 'agent'

export interface ResourceTemplate {
  /** RFC 6570 */
  readonly uriTemplate: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  readonly subject?: PolicySubject
  /** `undefined`: there is no such resource. */
  read(uri: string, variables: Variables, call: Call): Promise<ReadResourceResult | InputRequired | undefined>
  watch?(uri: string, call: Call, follower: Follower): Promise<void>
  /** Whether the address matches. For templates of upstreams, whose variables the hub does not need. */
  matches?(uri: string): boolean
  readonly complete?: Completers
  readonly relayedCompletion?: RelayedCompletion
  readonly listed?: object
}

export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly PromptArgument[]
  readonly subject?: PolicySubject
  /** The upstream's own name of the prompt. The face puts it into the params. */
  readonly original?: string
  get(args: Readonly<Record<string, string>>, call: Call): Promise<GetPromptResult | InputRequired>
  readonly complete?: Completers
  readonly relayedCompletion?: RelayedCompletion
  readonly listed?: object
}

export type Completers = Readonly<Record<string, (value: string) => readonly string[] | Promise<readonly string[]>>>
/** Sends `completion/complete` to an upstream. */
export interface RelayedCompletion {
  /** False: the upstream does not offer completions. Throws if that is not known yet. */
  isOffered(): boolean
  run(params: Params, call: Call): Promise<object>
}
export const noCompletion = { completion: { values: [] } }

/** A definition without its code. Only the face runs a definition, through its layers. */
export type ToolInfo = Omit<Tool, 'run'>
export type ResourceInfo = Omit<Resource, 'read' | 'watch'>
export type ResourceTemplateInfo = Omit<ResourceTemplate, 'read' | 'watch' | 'complete' | 'relayedCompletion'>
export type PromptInfo = Omit<Prompt, 'get' | 'complete' | 'relayedCompletion'>

export type Variables = Readonly<Record<string, string | string[]>>
export type JsonSchema = Readonly<Record<string, unknown>>

/** One request as the code that answers it sees it. */
export interface Call {
  /** Shared by all events and log lines of this call, over all hops. */
  readonly correlation: string
  /** The id of the event that records this call, if there is one. It is the parent of events that the call causes. */
  readonly event?: string | undefined
  readonly caller: Principal
  readonly client: Client
  /** The params of the request, unchanged. */
  readonly params: Params
  /** The caller wants log lines of this level and above. `undefined`: none. */
  readonly logLevel: LoggingLevel | undefined
  /** Fires when the caller cancels or leaves, or the hub stops. */
  readonly signal: AbortSignal
  /** Does nothing unless the caller sent a progress token. */
  progress(step: { progress: number; total?: number; message?: string }): void
  /** Reaches the caller if it asked for logs of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /** The client's answers to the `InputRequired` of the round before, by key. */
  readonly answers: Readonly<Record<string, unknown>>
  /** The `state` of that `InputRequired`. It is verified: the hub issued it for this caller and this call. */
  readonly state: unknown
  /**
   * Sends the client a request during the call. Only in the legacy era; a modern client is asked with an
   * `InputRequired`.
   */
  readonly ask?:
    | ((request: InputRequest, signal: AbortSignal, onProgress?: ProgressListener) => Promise<object>)
    | undefined
  /**
   * Closes the stream. The client reconnects for the rest after `retryMs`. Does nothing if the client cannot resume.
   */
  releaseStream(retryMs: number): void
  /** Reports when the client leaves but may resume, and when it is back. The last listener counts. */
  readonly onAway?: ((listener: (isAway: boolean) => void) => void) | undefined
  /**
   * The result that the client gets after a restart if the hub dies before it answers this call. Without one the client
   * gets an error: the outcome is unknown. Does nothing if the client cannot resume.
   */
  answerIfLost(result: object | undefined): Promise<void>
  /** Sends an upstream's notification unchanged. Drops log lines that the caller did not ask for. */
  forward(method: string, params: Params | undefined): void
  /** A copy of the call with these changes, for the next layer. */
  with(change: Partial<Pick<Call, 'state' | 'params' | 'signal' | 'correlation' | 'event'>>): Call
}

/** Takes the params of `notifications/progress`, without the token. */
export type ProgressListener = (step: Params) => void

/** The program that sent the request. */
export interface Client {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly info?: Implementation
}

/**
 * The result of a call that needs input from the client first. A client of 2026-07-28 gets it as it is (MRTR). To a
 * legacy client the hub sends real requests, and then runs the call again with the answers.
 */
export interface InputRequired {
  readonly resultType: 'input_required'
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** The next round gets it as `call.state`. The client can read it but not change it. */
  readonly state?: unknown
}

export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>>
}

export function inputRequired(inputRequests: InputRequired['inputRequests'], state?: unknown): InputRequired {
  return {
    resultType: 'input_required',
    ...(inputRequests && { inputRequests }),
    ...(state !== undefined && { state }),
  }
}

export function isInputRequired(result: object): result is InputRequired {
  return 'resultType' in result && result.resultType === 'input_required'
}
