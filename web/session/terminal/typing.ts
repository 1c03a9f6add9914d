/**
 * Sends typed text to the session: one call at a time and in order. Text typed meanwhile goes with the next call. One
 * viewer has the input: it is granted while it is free, and taken from another viewer only on demand.
 */
import type { TerminalSize } from '../../../src/api/session.ts'
import { CallFailure } from '../../hub/failure.ts'
import type { CallTool } from '../../hub/hub.ts'

export interface TypingOptions {
  readonly call: CallTool
  readonly session: string
  readonly viewer: string
  onWriter(writer: string | undefined): void
  /** This viewer types while another has the input. */
  onRefused(): void
  /** Typed text may not have arrived. */
  onFailure(failure: unknown): void
}

export interface Typing {
  readonly isWriter: boolean
  setWriter(writer: string | undefined): void
  type(text: string): void
  takeOver(): Promise<void>
  giveBack(): Promise<void>
  /** False: not possible now. */
  resize(size: TerminalSize): Promise<boolean>
}

interface Claim {
  readonly granted: boolean
  readonly writer?: string
}

/** The longest text for one call. */
const maxLength = 32 * 1024

export function createTyping({ call, session, viewer, onWriter, onRefused, onFailure }: TypingOptions): Typing {
  let writer: string | undefined
  let waiting = ''
  let isSending = false

  function setWriter(next: string | undefined): void {
    if (next === writer) return
    writer = next
    onWriter(writer)
  }

  async function claim(how: { readonly take_over?: boolean; readonly give_back?: boolean } = {}): Promise<boolean> {
    const answer = await call<Claim>('claim_input', { session, viewer, ...how })
    setWriter(answer.writer)
    return answer.granted
  }

  async function sendWaiting(): Promise<void> {
    isSending = true
    try {
      while (waiting !== '') {
        if (writer !== viewer && !(await claim())) {
          waiting = ''
          return onRefused()
        }
        const length = sliceLength(waiting)
        const text = waiting.slice(0, length)
        waiting = waiting.slice(length)
        await call('send_text', { session, viewer, text })
      }
    } catch (error) {
      // Not sent again: it may have arrived, and typing it twice would be worse.
      waiting = ''
      onFailure(error)
    } finally {
      isSending = false
    }
  }

  return {
    get isWriter() {
      return writer === viewer
    },
    setWriter,
    type(text) {
      if (writer !== undefined && writer !== viewer) return onRefused()
      waiting += text
      if (!isSending) void sendWaiting()
    },
    async takeOver() {
      await claim({ take_over: true }).catch(onFailure)
    },
    async giveBack() {
      await claim({ give_back: true }).catch(onFailure)
    },
    async resize({ cols, rows }) {
      try {
        await call('resize', { session, viewer, cols, rows })
        return true
      } catch (error) {
        // The hub or the input was lost, which is reported elsewhere.
        if (error instanceof CallFailure) return false
        throw error
      }
    },
  }
}

/** Does not split a surrogate pair. */
function sliceLength(text: string): number {
  if (text.length <= maxLength) return text.length
  const last = text.charCodeAt(maxLength - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength
}
