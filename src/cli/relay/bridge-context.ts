import type { HubHttp } from './hub-http.ts'
import type { Id } from './message.ts'
import type { Output } from './output.ts'

/** What the bridges of both eras need. */
export interface BridgeContext {
  readonly http: HubHttp
  readonly output: Output
  /** Aborts when the relay ends. */
  readonly signal: AbortSignal
  /** Answers requests that cannot be answered by the hub any more. */
  giveUp(ids: readonly Id[], error: unknown): Promise<void>
}
