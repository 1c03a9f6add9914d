// @ts-check
/**
 * Follows the output of a session: draws its screen, then sends one long poll after another, each from the offset where
 * the last one ended. Losing the hub loses no byte, since the next poll starts at the same offset.
 */
import { whenVisible } from '../tab-visibility.js'
import { createBackoff, isLost } from '../backoff.js'

/** @typedef {import('../mcp-client.js').Json} Json */

const pollMs = 25_000
const maxBytes = 256 * 1024
/** A slice ends with a complete character, so it may be shorter than `maxBytes`. */
const fullSlice = maxBytes - 8

/**
 * @typedef {object} Followed
 * @property {import('../mcp-client.js').CallTool} call
 * @property {string} session
 * @property {string} viewer
 * @property {AbortSignal} signal
 * @property {Pick<import('./view.js').View, 'draw' | 'print'>} view
 * @property {(news: Json) => void} onNews called with every answer: size, writer, whether the session has ended
 * @property {(failure: Error) => void} onLost
 */

/**
 * Resolves when the session has ended and all of its output is shown. Throws every error except the loss of the hub.
 * @param {Followed} followed
 */
export async function followOutput({ call, session, viewer, signal, view, onNews, onLost }) {
  const backoff = createBackoff()
  /** @type {number | undefined} */
  let offset
  /** @type {Json} */
  let size = {}
  let isBack = true

  /** @param {AbortSignal} visible */
  async function attach(visible) {
    const { snapshot, ...news } = await call('read_output', { session, viewer, snapshot: true }, visible)
    await view.draw(snapshot, news.size)
    ;({ offset, size } = news)
    onNews(news)
  }

  /** @type {(visible: AbortSignal, since: number) => Promise<boolean>} */
  async function readOn(visible, since) {
    // After a reconnect it does not wait, since any answer is news.
    const timeout = isBack ? 0 : pollMs
    const args = { session, viewer, since, timeout_ms: timeout, max_bytes: maxBytes }
    const { data, encoding, ...news } = await call('read_output', args, visible)
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
    const visible = await whenVisible(signal)
    if (signal.aborted) return
    try {
      if (offset === undefined) await attach(visible)
      else if (await readOn(visible, offset)) return
      backoff.reset()
    } catch (error) {
      isBack = true
      if (visible.aborted) continue
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
