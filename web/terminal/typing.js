// @ts-check
/**
 * What is typed, on its way to the session: one call at a time, in order; what is typed meanwhile goes with the next.
 * One viewer holds the pen and types; it is had for the asking while it is free, and taken from another on demand only.
 */
import { CallFailure } from '../mcp-client.js'

/** @typedef {import('./view.js').Size} Size */

/**
 * @typedef {object} TypingOptions
 * @property {import('../mcp-client.js').CallTool} call
 * @property {string} session
 * @property {string} viewer
 * @property {(writer: string | undefined) => void} onWriter
 * @property {() => void} onRefused somebody typed here while another holds the pen
 * @property {(failure: Error) => void} onFailure what was typed may not have arrived
 */

/** As much as one call takes. */
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
      // Not sent again: whether it arrived is not known, and twice would be worse.
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
    /** False: not now. @param {Size} size */
    async resize({ cols, rows }) {
      try {
        await call('resize', { session, viewer, cols, rows })
        return true
      } catch (error) {
        // Lost with the hub or with the pen: either is told elsewhere.
        if (error instanceof CallFailure) return false
        throw error
      }
    },
  }
}

/** Not between the halves of a character. @param {string} text */
function sliceLength(text) {
  if (text.length <= maxLength) return text.length
  const last = text.charCodeAt(maxLength - 1)
  return last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength
}
