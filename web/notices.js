// @ts-check
/** Keeps what is shown up to date: reads when a notice says that something changed, and again when the hub is back. */
import { attention } from './attention.js'
import { createBackoff, isLost } from './backoff.js'
import { CallFailure } from './mcp-client.js'

/**
 * @typedef {object} Noticed
 * @property {import('./mcp-client.js').McpClient} client
 * @property {readonly string[]} uris
 * @property {AbortSignal} signal
 * @property {() => Promise<void>} read
 * @property {(failure: CallFailure) => void} onLost
 */

/** A stream that lasted so long was a good one. */
const wellAfterMs = 10_000

/**
 * Runs until `signal` fires; throws what is no mere loss of the hub.
 * @param {Noticed} noticed
 */
export async function keepNoticed({ client, uris, signal, read, onLost }) {
  const backoff = createBackoff()
  while (!signal.aborted) {
    const looking = await attention(signal)
    const listening = new AbortController()
    const reader = createReader(read)
    const begun = performance.now()
    try {
      const until = AbortSignal.any([looking, listening.signal])
      await Promise.race([client.listen(uris, reader.readAgain, until), reader.failed])
      throw new CallFailure('lost', 'The hub is stopping.')
    } catch (error) {
      if (looking.aborted) continue
      if (!isLost(error)) throw error
      onLost(error)
      if (performance.now() - begun > wellAfterMs) backoff.reset()
      await backoff.wait(signal)
    } finally {
      listening.abort()
    }
  }
}

/**
 * One read at a time; a notice that comes while one runs is followed by another.
 * @param {() => Promise<void>} read
 */
function createReader(read) {
  const { promise: failed, reject } = /** @type {PromiseWithResolvers<never>} */ (Promise.withResolvers())
  let isReading = false
  let isStale = false

  async function readAgain() {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      while (isStale) {
        isStale = false
        await read()
      }
    } catch (error) {
      reject(error)
    } finally {
      isReading = false
    }
  }
  return { readAgain: () => void readAgain(), failed }
}
