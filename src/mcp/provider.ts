/**
 * How a feature offers things over MCP. It writes one `Provider`, in one file of its own, once for both eras;
 * `hub.ts` puts it into a face. Lists are asked for anew each time, so a provider may change what it offers: it then
 * says so with `Notices.listChanged`.
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
  /** What it offers is made by others: no resource of theirs takes the place of the hub's own. */
  readonly isForeign?: boolean
  tools?(): readonly Tool[]
  resources?(): readonly Resource[]
  resourceTemplates?(): readonly ResourceTemplate[]
  prompts?(): readonly Prompt[]
  /** Quicker than looking through the list, where that is long. */
  findTool?(name: string): Tool | undefined
  /** A resource that is read though no list names it. */
  resourceAt?(uri: string): Resource | undefined
  /** Any method that MCP itself does not answer here. `undefined`: it is none of this provider's. */
  request?(method: string, params: Params, call: Call): Promise<object> | undefined
  /** A client says something that MCP does not answer, such as that its roots have changed. */
  notify?(method: string, params: Params, call: Call): void
  /** A connection wants to hear log lines from this level on; `undefined`: it is gone. */
  setLogLevel?(connection: string, level: LoggingLevel | undefined): void
  /** While what it offers is just coming up: a list waits for it a moment, a call of what may be among it longer. */
  comingUp?(name?: string): Promise<void> | undefined
  /** Why a tool of this name is not there, where that is known. */
  whyMissing?(tool: string): string | undefined
  /** What a client should know about the lists, for their `_meta`. */
  notes?(): Meta | undefined
  instructions?(): string | undefined
  /** What its clients may use beyond what the hub itself can, in their era. */
  capabilities?(era: Client['era']): Readonly<Record<string, unknown>>
}

/** `defineTool` makes one from zod schemas. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema | undefined
  readonly annotations: ToolAnnotations
  /** Listed whatever toolsets were asked for. */
  readonly alwaysListed?: boolean
  /** Its answer holds a secret: it is sent once and kept nowhere, so it cannot be fetched again either. */
  readonly answersOnce?: boolean
  /** Arguments that no event keeps, such as what is typed. */
  readonly unrecorded?: readonly string[]
  /** It does nothing but call another tool, which is judged and recorded itself. */
  readonly isPassage?: boolean
  /** `<mount>_<tool>` as policies name it, where that is not the name. */
  readonly policyName?: string
  /** Other names by which a policy may forbid it. */
  readonly policyAliases?: readonly string[]
  /** For the record: how it is answered, such as `mcp:stdio`, and by which upstream. */
  readonly route?: string
  readonly upstream?: string
  /** What lists show in place of this definition: an upstream's own words, as they came. */
  readonly listed?: object
  run(args: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult | InputRequired>
}

export interface Resource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  readonly listed?: object
  read(call: Call): Promise<ReadResourceResult | InputRequired>
  /** Before a client is promised to be told of changes. Throws where it cannot be. With `mayAsk` a person may be waited for. */
  watch?(call: Call, mayAsk: boolean): Promise<void>
}

export interface ResourceTemplate {
  /** RFC 6570 */
  readonly uriTemplate: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  /** `undefined`: there is no such resource. */
  read(uri: string, variables: Variables, call: Call): Promise<ReadResourceResult | InputRequired | undefined>
  watch?(uri: string, call: Call, mayAsk: boolean): Promise<void>
  /** Whether this could be one of it; for templates of others, whose variables nobody here needs. */
  matches?(uri: string): boolean
  readonly complete?: Completers | RelayedCompletion
  readonly listed?: object
}

export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly PromptArgument[]
  get(args: Readonly<Record<string, string>>, call: Call): Promise<GetPromptResult | InputRequired>
  readonly complete?: Completers | RelayedCompletion
  readonly listed?: object
}

export type Completers = Readonly<Record<string, (value: string) => readonly string[] | Promise<readonly string[]>>>
/** Answers `completion/complete` from its params, as somebody else does. */
export type RelayedCompletion = (params: Params, call: Call) => Promise<object>
export type Variables = Readonly<Record<string, string | string[]>>
export type JsonSchema = Readonly<Record<string, unknown>>

/** One request as the code that answers it sees it. */
export interface Call {
  /** Shared by all events and log lines of this call, over all hops. */
  readonly correlation: string
  readonly caller: Principal
  readonly client: Client
  /** Of the request, as they came. */
  readonly params: Params
  /** Log lines from here on are wanted; `undefined`: none. */
  readonly logLevel: LoggingLevel | undefined
  /** Fires when the caller cancels or leaves, or the hub stops. */
  readonly signal: AbortSignal
  /** Does nothing unless the caller sent a progress token. */
  progress(step: { progress: number; total?: number; message?: string }): void
  /** Reaches the caller if it asked for logs of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /** What the client answered to the `InputRequired` of the round before, by key. */
  readonly answers: Readonly<Record<string, unknown>>
  /** The `state` of that `InputRequired`, proven to be ours and meant for this caller and this call. */
  readonly state: unknown
  /** Asks the client there and then. Only where its era has that; else an `InputRequired` asks. */
  readonly ask?:
    | ((request: InputRequest, signal: AbortSignal, onProgress?: ProgressListener) => Promise<object>)
    | undefined
  /** Lets the stream go; the client comes back for the rest after `retryMs`. Only where it can resume. */
  releaseStream(retryMs: number): void
  /** A notification as somebody else made it; log lines that the caller did not ask for are left out. */
  passOn(method: string, params: Params | undefined): void
  /** The same call as somebody further in shall see it. */
  with(change: Partial<Pick<Call, 'state' | 'params' | 'signal'>>): Call
}

/** Whoever waits for an answer hears how far it has come: params of `notifications/progress`, without the token. */
export type ProgressListener = (step: Params) => void

/** The program at the other end. */
export interface Client {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly info?: Implementation
}

/**
 * "I need something from the client before I can go on." On 2026-07-28 it travels as it is (MRTR); to a legacy client
 * the hub sends real requests and calls again with the answers.
 */
export interface InputRequired {
  readonly resultType: 'input_required'
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** Comes back as `call.state`. The client can read it but not change it. */
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
