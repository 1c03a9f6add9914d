// @ts-check
/**
 * What a session prints, as it prints it: a drawing of its screen, then one long poll after another, each from the
 * offset where the one before ended. Losing the hub costs no byte: the next poll asks from the same offset.
 */
import { attention } from '../attention.js'
import { createBackoff, isLost } from '../backoff.js'

/** @typedef {import('../mcp-client.js').Json} Json */

const pollMs = 25_000
const maxBytes = 256 * 1024
/** A slice ends at a whole character. */
const fullSlice = maxBytes - 8

/**
 * @typedef {object} Followed
 * @property {import('../mcp-client.js').CallTool} call
 * @property {string} session
 * @property {string} viewer
 * @property {AbortSignal} signal
 * @property {Pick<import('./view.js').View, 'draw' | 'print'>} view
 * @property {(news: Json) => void} onNews with every answer: size, writer, whether it has ended
 * @property {(failure: Error) => void} onLost
 */

/**
 * Resolves when the session has ended and all of it is shown; throws what is no mere loss of the hub.
 * @param {Followed} followed
 */
export async function followOutput({ call, session, viewer, signal, view, onNews, onLost }) {
  const backoff = createBackoff()
  /** @type {number | undefined} */
  let offset
  /** @type {Json} */
  let size = {}
  let isBack = true

  /** @param {AbortSignal} looking */
  async function attach(looking) {
    const { snapshot, ...news } = await call('read_output', { session, viewer, snapshot: true }, looking)
    await view.draw(snapshot, news.size)
    ;({ offset, size } = news)
    onNews(news)
  }

  /** @type {(looking: AbortSignal, since: number) => Promise<boolean>} */
  async function goOn(looking, since) {
    // Coming back, it does not wait: that it can read at all is news.
    const timeout = isBack ? 0 : pollMs
    const args = { session, viewer, since, timeout_ms: timeout, max_bytes: maxBytes }
    const { data, encoding, ...news } = await call('read_output', args, looking)
    const isFarBehind = isBack && news.next_offset - since >= fullSlice
    const isResized = news.size.cols !== size.cols || news.size.rows !== size.rows
    isBack = false
    if (news.dropped || isFarBehind || isResized) {
      offset = undefined
      return false
    }
    await view.print(bytesOf(data, encoding))
    offset = news.next_offset
    onNews(news)
    return news.ended === true && news.next_offset === since
  }

  for (;;) {
    const looking = await attention(signal)
    if (signal.aborted) return
    try {
      if (offset === undefined) await attach(looking)
      else if (await goOn(looking, offset)) return
      backoff.reset()
    } catch (error) {
      isBack = true
      if (looking.aborted) continue
      if (!isLost(error)) throw error
      onLost(error)
      await backoff.wait(signal)
    }
  }
}

const encoder = new TextEncoder()

/** @type {(data: string, encoding: 'utf8' | 'base64') => Uint8Array} */
function bytesOf(data, encoding) {
  if (encoding === 'utf8') return encoder.encode(data)
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
}
