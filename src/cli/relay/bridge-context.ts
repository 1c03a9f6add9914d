import type { HubHttp } from './hub-http.ts'
import type { Id } from './message.ts'
import type { Output } from './output.ts'

/** The dependencies of the bridges of both eras. */
export interface BridgeContext {
  readonly http: HubHttp
  readonly output: Output
  /** Aborts when the relay ends. */
  readonly signal: AbortSignal
  /** Answers requests that the hub cannot answer any more. */
  giveUp(ids: readonly Id[], error: unknown): Promise<void>
}
