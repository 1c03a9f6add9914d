/** What carries messages to one upstream and back. It understands no message; `Peer` does. */
import type { RequestId, RpcMessage, RpcRequest } from '../wire.ts'

export interface UpstreamTransport {
  /** Resolves when messages can be sent; rejects with a sentence a person can act on. */
  start(listener: TransportListener): Promise<void>
  /** Resolves when it is on its way. Rejects with `NotSent` where the upstream cannot have seen it. */
  send(message: RpcMessage, options?: SendOptions): Promise<void>
  /** The era and revision agreed upon, which HTTP repeats in headers. */
  agree(version: string): void
  /** Ends the answer to a request whose result nobody wants any more; only where the revision cancels that way. */
  abandon(id: RequestId): void
  /** Ends what belongs to it, at the latest after a few seconds, and never throws. */
  close(): Promise<void>
  /** The last of what a stdio upstream said on stderr. */
  readonly stderr: string
}

export interface SendOptions {
  /** Headers of 2026-07-28 such as `Mcp-Method`; other transports drop them. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TransportListener {
  /** `during`: the request whose answer it came with, where the transport knows. */
  message(message: unknown, during?: RpcRequest): void
  /** It read something that is no message of JSON-RPC. */
  garbage(reason: string): void
  /** Nothing will come any more, and nothing can be sent. */
  closed(reason: string): void
  /** The upstream has forgotten the connection: it must be initialised anew. */
  forgotten(): void
}

/** The message did not reach the upstream, for sure: it may be sent again. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}
