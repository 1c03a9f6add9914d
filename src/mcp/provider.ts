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

export interface Provider {
  /** The toolset its tools belong to (API, "Toolsets"). */
  readonly toolset: string
  tools?(): readonly Tool[]
  resources?(): readonly Resource[]
  resourceTemplates?(): readonly ResourceTemplate[]
  prompts?(): readonly Prompt[]
}

/** `defineTool` makes one from zod schemas. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations: ToolAnnotations
  /** Listed whatever toolsets were asked for. */
  readonly alwaysListed?: boolean
  /** Its answer holds a secret: it is sent once and kept nowhere, so it cannot be fetched again either. */
  readonly answersOnce?: boolean
  /** Arguments that no event keeps, such as what is typed. */
  readonly unrecorded?: readonly string[]
  run(args: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult | InputRequired>
}

export interface Resource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  read(call: Call): Promise<ReadResourceResult | InputRequired>
}

export interface ResourceTemplate {
  /** RFC 6570 */
  readonly uriTemplate: string
  readonly name: string
  readonly description: string
  readonly mimeType?: string
  /** `undefined`: there is no such resource. */
  read(uri: string, variables: Variables, call: Call): Promise<ReadResourceResult | InputRequired | undefined>
  readonly complete?: Completers
}

export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly PromptArgument[]
  get(args: Readonly<Record<string, string>>, call: Call): Promise<GetPromptResult | InputRequired>
  readonly complete?: Completers
}

export type Completers = Readonly<Record<string, (value: string) => readonly string[] | Promise<readonly string[]>>>
export type Variables = Readonly<Record<string, string | string[]>>
export type JsonSchema = Readonly<Record<string, unknown>>

/** One request as the code that answers it sees it. */
export interface Call {
  /** Shared by all events and log lines of this call, over all hops. */
  readonly correlation: string
  readonly caller: Principal
  readonly client: Client
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
  /** Lets the stream go; the client comes back for the rest after `retryMs`. Only where it can resume. */
  releaseStream(retryMs: number): void
}

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
