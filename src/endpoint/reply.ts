/** The endpoint's interface to a transport: it answers requests and writes streams. */
import type { RpcMessage } from '../mcp/mcp.ts'

/** Answers one POST: with one body, or with a stream if there are more messages than the answer. */
export interface Reply {
  /** False if the client accepts JSON only. */
  readonly canStream: boolean
  json(body: RpcMessage | readonly RpcMessage[], options?: { status?: number; headers?: Record<string, string> }): void
  /** Answers 202: accepted, without a body. */
  accepted(): void
  stream(): Outlet
  /** Calls back once if the peer disconnects before the answer is complete. */
  onGone(listener: () => void): void
}

/** The writing end of a stream of messages. */
export interface Outlet {
  readonly isOpen: boolean
  /** False while the peer reads too slowly. Messages that can wait should wait for `onDrain`. */
  readonly isReady: boolean
  send(message: RpcMessage, eventId?: string): void
  /** An event without a message, so that the client has an id to resume from. */
  prime(eventId: string): void
  onDrain(listener: () => void): void
  onClose(listener: () => void): void
  /** How long the client should wait before it reconnects after the stream ended or broke. */
  retryAfter(retryMs: number): void
  end(): void
}
