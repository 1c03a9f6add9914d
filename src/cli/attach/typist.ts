/** Takes what the person types to the session, in order, one call after another; what is typed meanwhile goes together. */
import { StringDecoder } from 'node:string_decoder'

export interface Typist {
  type(bytes: Buffer): void
  /** Forgets what has not been sent. */
  forget(): void
}

export interface TypistOptions {
  /** A character by which the person leaves. */
  readonly detachKey: string
  /** Resolves when the session has got it. Does not throw. */
  send(text: string): Promise<void>
  onDetach(): void
}

/** A paste is cut into calls of this length, so that none is refused for its size. */
const maxTextLength = 64 * 1024

export function createTypist({ detachKey, send, onDetach }: TypistOptions): Typist {
  // A character may come in two pieces.
  const decoder = new StringDecoder('utf8')
  let waiting = ''
  let isSending = false

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting !== '') {
      const text = cut(waiting, maxTextLength)
      waiting = waiting.slice(text.length)
      await send(text)
    }
    isSending = false
  }

  return {
    type(bytes) {
      const text = decoder.write(bytes)
      const at = text.indexOf(detachKey)
      waiting += at < 0 ? text : text.slice(0, at)
      void sendAll()
      if (at >= 0) onDetach()
    },
    forget() {
      waiting = ''
    },
  }
}

/** Never between the two halves of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, isHalf ? length - 1 : length)
}
