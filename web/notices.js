// @ts-check
/** Keeps what is shown up to date: reads when a notice says that a session changed, and again when the hub is back. */
import { attention } from './attention.js'
import { createBackoff, isLost } from './backoff.js'
import { CallFailure } from './mcp-client.js'

/** @typedef {import('./mcp-client.js').McpClient} McpClient */

/** Changes with every session. */
const topic = 'resource://sessions'

/** A stream that lasted so long was a good one. */
const wellAfterMs = 10_000

/**
 * Runs until `signal` fires; throws what is no mere loss of the hub.
 * @param {object} options
 * @param {McpClient} options.client
 * @param {AbortSignal} options.signal
 * @param {() => Promise<void>} options.read
 * @param {(failure: CallFailure) => void} options.onLost
 */
export async function keepNoticed({ client, signal, read, onLost }) {
  const backoff = createBackoff()
  while (!signal.aborted) {
    const looking = await attention(signal)
    const listening = new AbortController()
    const reader = createReader(read)
    const begun = performance.now()
    try {
      const until = AbortSignal.any([looking, listening.signal])
      await Promise.race([listenTogether(client, reader.readAgain, until), reader.failed])
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
 * One stream for all tabs: a browser opens six connections to one place, and each terminal in sight needs one of them.
 * The tab that holds the lock listens and tells the others; when it goes, the next one does.
 * @type {(client: McpClient, onNotice: () => void, signal: AbortSignal) => Promise<void>}
 */
async function listenTogether(client, onNotice, signal) {
  onNotice()
  // Without a secure connection the browser has no locks, and each tab listens for itself.
  if (!navigator.locks) return client.listen([topic], onNotice, signal)
  const others = new BroadcastChannel('signalbox-notices')
  others.addEventListener('message', onNotice)
  const tellAll = () => {
    onNotice()
    others.postMessage(topic)
  }
  try {
    await navigator.locks.request('signalbox-notices', { signal }, () => client.listen([topic], tellAll, signal))
  } finally {
    others.close()
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
