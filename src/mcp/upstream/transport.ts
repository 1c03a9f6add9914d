/** What carries messages to one upstream and back. It understands no message; `Peer` does. */
import type { RequestId, RpcMessage, RpcRequest } from '../wire.ts'

export interface UpstreamTransport {
  /** Resolves when messages can be sent; rejects with a sentence a person can act on. */
  start(listener: TransportListener): Promise<void>
  /**
   * Resolves when the upstream has it: written whole, or over HTTP accepted by status, which may come as late as the
   * answer itself. Rejects with `NotSent` where the upstream cannot have seen it, else with a `HubError` (over HTTP with
   * the status in its `data`). A request ends in one of: its answer, a rejection here, `lost`, `forgotten`, `closed`.
   */
  send(message: RpcMessage, options?: SendOptions): Promise<void>
  /** The era and revision agreed upon, which HTTP repeats in headers. */
  agree(version: string): void
  /** Frees what waits for an answer that nobody wants any more. At 2026-07-28 over HTTP that is the cancellation. */
  abandon(id: RequestId): void
  /** Ends what belongs to it, at the latest after a few seconds, and never throws. Its listener hears nothing any more. */
  close(): Promise<void>
  /** The last of what a stdio upstream said on stderr, as it came. */
  readonly stderr: string
}

export interface SendOptions {
  /** Headers of 2026-07-28 such as `Mcp-Method`; other transports drop them. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TransportListener {
  /**
   * `during`: the request whose answer it came with, where the transport knows. A refusal by HTTP status that names no
   * request carries the id of the one it refused. Batches come one by one.
   */
  message(message: unknown, during?: RpcRequest): void
  /** It read something that is no message of JSON-RPC; the reason may quote it. */
  garbage(reason: string): void
  /** The upstream has the request, and its answer will not come: the stream broke, or the answer was too large. */
  lost(request: RpcRequest, reason: string): void
  /** Nothing will come any more, and nothing can be sent. */
  closed(reason: string): void
  /** The upstream has forgotten the connection: it must be initialised anew, over the same transport or another. */
  forgotten(reason?: string): void
}

/** The message did not reach the upstream, for sure: it may be sent again. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

export const defaultMaxMessageBytes = 64 * 1024 * 1024
