/** What the engine needs of a transport: how a request is answered, and how a stream is written. */
import type { RpcMessage } from './wire.ts'

/** How one POST is answered: with one body, or with a stream when there is more to say than the answer. */
export interface Reply {
  /** False when the client takes JSON only. */
  readonly canStream: boolean
  json(body: RpcMessage | readonly RpcMessage[], options?: { status?: number; headers?: Record<string, string> }): void
  /** 202: taken, nothing to answer. */
  accepted(): void
  stream(): Outlet
  /** Calls back once when the peer has gone before it was answered to the end. */
  onGone(listener: () => void): void
}

/** The writing end of a stream of messages. */
export interface Outlet {
  readonly isOpen: boolean
  /** False when the peer reads too slowly: what can wait shall wait for `onDrain`. */
  readonly isReady: boolean
  send(message: RpcMessage, eventId?: string): void
  /** An event without a message, so that the client has an id to resume from. */
  prime(eventId: string): void
  onDrain(listener: () => void): void
  onClose(listener: () => void): void
  /** Ends the stream in good order; the client may come back after `retryMs`. */
  end(options?: { retryMs?: number }): void
}
