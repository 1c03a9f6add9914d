/**
 * The requests that a client can make to a face. Every operation passes the layers of the face, outermost first, before
 * it reaches the provider that answers it.
 */
import type { Call, InputRequired, PolicySubject, ToolInfo } from './provider.ts'
import type { CallToolResult, GetPromptResult, ReadResourceResult } from './sdk.ts'
import type { Params } from './wire.ts'

export type Operation =
  | { readonly kind: 'tool'; readonly tool: ToolInfo; readonly arguments: Params }
  /** The policy decides on exactly the `params` and `uri` that are sent on. */
  | {
      readonly kind: 'read' | 'prompt' | 'complete'
      readonly subject: PolicySubject | undefined
      readonly params: Params
    }
  | {
      readonly kind: 'subscribe'
      readonly subject: PolicySubject | undefined
      readonly uri: string
      /** False: the subscription must not wait for a person's approval. */
      readonly mayAsk: boolean
    }
  /** A method that MCP does not define, or a notification. */
  | {
      readonly kind: 'request' | 'notify'
      readonly subject: PolicySubject | undefined
      readonly method: string
      readonly params: Params
    }

export interface Results {
  readonly tool: CallToolResult | InputRequired
  readonly read: ReadResourceResult | InputRequired
  readonly prompt: GetPromptResult | InputRequired
  readonly complete: object
  readonly subscribe: object
  readonly request: object
  readonly notify: object
}

/** Wraps each operation, to record it or to decide on it. It returns the result of the operation, see `Results`. */
export type Layer = (operation: Operation, call: Call, next: Next) => Promise<object>
/** Takes the call that the next layer sees, if the layer replaces it. */
export type Next = (call?: Call) => Promise<object>
