// @ts-check
/** Keeps the page up to date: reads again when a notice reports a changed session, and when the hub is back. */
import { whenVisible } from './tab-visibility.js'
import { createBackoff, isLost } from './backoff.js'
import { CallFailure } from './mcp-client.js'

/** @typedef {import('./mcp-client.js').McpClient} McpClient */

/** Changes with every session. */
const topic = 'resource://sessions'

/** A stream that lasted this long resets the backoff. */
const stableAfterMs = 10_000

/**
 * Runs until `signal` aborts. Throws every error except the loss of the hub.
 * @param {object} options
 * @param {McpClient} options.client
 * @param {AbortSignal} options.signal
 * @param {() => Promise<void>} options.read
 * @param {(failure: CallFailure) => void} options.onLost
 */
export async function keepUpToDate({ client, signal, read, onLost }) {
  const backoff = createBackoff()
  while (!signal.aborted) {
    const visible = await whenVisible(signal)
    const listening = new AbortController()
    const reader = createReader(read)
    const begun = performance.now()
    try {
      const until = AbortSignal.any([visible, listening.signal])
      await Promise.race([listenTogether(client, reader.readAgain, until), reader.failed])
      throw new CallFailure('lost', 'The hub is stopping.')
    } catch (error) {
      if (visible.aborted) continue
      if (!isLost(error)) throw error
      onLost(error)
      if (performance.now() - begun > stableAfterMs) backoff.reset()
      await backoff.wait(signal)
    } finally {
      listening.abort()
    }
  }
}

/**
 * One stream for all tabs: a browser opens only six connections to one server, and each visible terminal needs one.
 * The tab with the lock listens and notifies the others. When it closes, the next tab takes over.
 * @type {(client: McpClient, onNotice: () => void, signal: AbortSignal) => Promise<void>}
 */
async function listenTogether(client, onNotice, signal) {
  onNotice()
  // Without a secure connection the browser has no locks, and each tab listens for itself.
  if (!navigator.locks) return client.listen([topic], onNotice, signal)
  const others = new BroadcastChannel('signalbox-notices')
  others.addEventListener('message', onNotice)
  const notifyAll = () => {
    onNotice()
    others.postMessage(topic)
  }
  try {
    await navigator.locks.request('signalbox-notices', { signal }, () => client.listen([topic], notifyAll, signal))
  } finally {
    others.close()
  }
}

/**
 * One read at a time. A notice during a read causes another one after it.
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
