/** Answers one modern request on a stream that many requests share. */
import type { RpcMessage } from '../mcp/mcp.ts'
import type { Outlet, Reply } from './reply.ts'

export interface LineReply extends Reply {
  /** The client has cancelled the request or disconnected. Nothing more is sent. */
  leave(): void
  /** The stream can be written to again. */
  drained(): void
}

export function createLineReply(outlet: Outlet, onDone: () => void): LineReply {
  let isDone = false
  let notifyGone = () => {}
  const onClose: (() => void)[] = []
  const onDrain: (() => void)[] = []

  function finish(): void {
    if (isDone) return
    isDone = true
    for (const listener of onClose) listener()
    onDone()
  }

  function send(message: RpcMessage): void {
    if (!isDone) outlet.send(message)
  }

  return {
    canStream: true,
    json(body) {
      for (const message of [body].flat() as readonly RpcMessage[]) send(message)
      finish()
    },
    accepted: finish,
    stream: () => ({
      get isOpen() {
        return !isDone && outlet.isOpen
      },
      get isReady() {
        return outlet.isReady
      },
      send,
      // There are no event ids: a client cannot resume this stream.
      prime: () => {},
      retryAfter: () => {},
      onDrain: (listener) => void onDrain.push(listener),
      onClose: (listener) => void onClose.push(listener),
      end: finish,
    }),
    onGone: (listener) => (notifyGone = listener),
    leave() {
      if (isDone) return
      finish()
      notifyGone()
    },
    drained() {
      for (const listener of onDrain) listener()
    },
  }
}
