// @ts-check
/**
 * Sends typed text to the session: one call at a time and in order. Text typed meanwhile goes with the next call. One
 * viewer has the input: it is granted while it is free, and taken from another viewer only on demand.
 */
import { CallFailure } from '../mcp-client.js'

/** @typedef {import('./view.js').Size} Size */

/**
 * @typedef {object} TypingOptions
 * @property {import('../mcp-client.js').CallTool} call
 * @property {string} session
 * @property {string} viewer
 * @property {(writer: string | undefined) => void} onWriter
 * @property {() => void} onRefused called when this viewer types while another has the input
 * @property {(failure: Error) => void} onFailure called when typed text may not have arrived
 */

/** The longest text for one call. */
const maxLength = 32 * 1024

/** @param {TypingOptions} options */
export function createTyping({ call, session, viewer, onWriter, onRefused, onFailure }) {
  /** @type {string | undefined} */
  let writer
  let waiting = ''
  let isSending = false

  /** @param {string | undefined} next */
  function setWriter(next) {
    if (next === writer) return
    writer = next
    onWriter(writer)
  }

  /** @param {boolean} takeOver */
  async function claim(takeOver) {
    const answer = await call('claim_input', { session, viewer, take_over: takeOver })
    setWriter(answer.writer)
    return answer.granted
  }

  async function sendWaiting() {
    isSending = true
    try {
      while (waiting !== '') {
        if (writer !== viewer && !(await claim(false))) {
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
      onFailure(/** @type {Error} */ (error))
    } finally {
      isSending = false
    }
  }

  return {
    get isWriter() {
      return writer === viewer
    },
    setWriter,
    /** @param {string} text */
    type(text) {
      if (writer !== undefined && writer !== viewer) return onRefused()
      waiting += text
      if (!isSending) void sendWaiting()
    },
    takeOver: () => claim(true).catch(onFailure),
    /** False: not possible now. @param {Size} size */
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

/** Does not split a surrogate pair. @param {string} text */
function sliceLength(text) {
  if (text.length <= maxLength) return text.length
  const last = text.charCodeAt(maxLength - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength
}
