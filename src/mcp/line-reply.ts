/** The answer to one modern request on a stream that many requests share. */
import type { Outlet, Reply } from './reply.ts'
import type { RpcMessage } from './wire.ts'

export interface LineReply extends Reply {
  /** Its client has cancelled it, or is gone: nothing more may be said. */
  leave(): void
  /** The stream can take more again. */
  drained(): void
}

export function createLineReply(outlet: Outlet, onDone: () => void): LineReply {
  let isDone = false
  let tellGone = () => {}
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
      // There are no event ids: what is lost with the stream is lost.
      prime: () => {},
      onDrain: (listener) => void onDrain.push(listener),
      onClose: (listener) => void onClose.push(listener),
      end: finish,
    }),
    onGone: (listener) => (tellGone = listener),
    leave() {
      if (isDone) return
      finish()
      tellGone()
    },
    drained() {
      for (const listener of onDrain) listener()
    },
  }
}
