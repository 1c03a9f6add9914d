/** Carries messages to and from one upstream. It does not interpret them; `Peer` does. */
import type { RequestId, RpcMessage, RpcRequest } from '../mcp/mcp.ts'

export interface UpstreamTransport {
  /** Resolves when messages can be sent. Rejects with a sentence that a person can act on. */
  start(listener: TransportListener): Promise<void>
  /**
   * Resolves when the upstream has the message: written completely, or accepted by HTTP status, which may come as late
   * as the answer itself. Rejects with `NotSent` if the upstream cannot have seen it, else with a `HubError` (over HTTP
   * with the status in its `data`). A request ends in one of: its answer, a rejection here, `lost`, `forgotten`,
   * `closed`.
   */
  send(message: RpcMessage, options?: SendOptions): Promise<void>
  /** Sets the negotiated revision, which HTTP repeats in headers. */
  agree(version: string): void
  /**
   * Frees the resources of a request whose answer is no longer needed. Over HTTP at 2026-07-28 this cancels the
   * request.
   */
  abandon(id: RequestId): void
  /**
   * Ends everything that belongs to the transport within a few seconds. Never throws. The listener is not called again.
   */
  close(): Promise<void>
  /** Whether the upstream can send us requests in the middle of a legacy call. */
  readonly canAsk: boolean
  /** The end of a stdio upstream's stderr, unchanged. */
  readonly stderr: string
}

export interface SendOptions {
  /** 2026-07-28 headers such as `Mcp-Method`. Other transports drop them. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TransportListener {
  /**
   * `during`: the request whose answer this message came with, if the transport knows. A refusal by HTTP status that
   * names no request gets the id of the refused request. Batch members come one by one. Returns whether it answers an
   * open request.
   */
  message(message: unknown, during?: RpcRequest): boolean
  /** The transport read something that is not a JSON-RPC message. The reason may quote it. */
  garbage(reason: string): void
  /** The upstream has the request, but its answer will not arrive: the stream broke, or the answer was too large. */
  lost(request: RpcRequest, reason: string): void
  /** No message can arrive or be sent from now on. */
  closed(reason: string): void
  /** The upstream no longer knows the connection. It must be initialised again, over this transport or another. */
  forgotten(reason?: string): void
}

/** The message certainly did not reach the upstream, so it may be sent again. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
