/** Sends the person's input to the session in order. Input that arrives during a call is sent together in the next one. */
import { StringDecoder } from 'node:string_decoder'

export interface InputSender {
  send(bytes: Buffer): void
  /** Drops the input that is not sent yet. */
  discard(): void
}

export interface InputSenderOptions {
  /** The character that detaches the person. */
  readonly detachKey: string
  /** Resolves when the session has the text. Does not throw. */
  send(text: string): Promise<void>
  onDetach(): void
}

/** A long paste is split into calls of this length, so that none is refused for its size. */
const maxTextLength = 64 * 1024

export function createInputSender({ detachKey, send, onDetach }: InputSenderOptions): InputSender {
  // A character may arrive in two pieces.
  const decoder = new StringDecoder('utf8')
  let pending = ''
  let isSending = false

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    while (pending !== '') {
      const text = cut(pending, maxTextLength)
      pending = pending.slice(text.length)
      await send(text)
    }
    isSending = false
  }

  return {
    send(bytes) {
      const text = decoder.write(bytes)
      const at = text.indexOf(detachKey)
      pending += at < 0 ? text : text.slice(0, at)
      void sendAll()
      if (at >= 0) onDetach()
    },
    discard() {
      pending = ''
    },
  }
}

/** Never cuts between the two halves of a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, isHalf ? length - 1 : length)
}
