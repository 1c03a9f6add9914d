// @ts-check
/** Retries with a delay that grows from one failure to the next. */
import { CallFailure } from './mcp-client.js'

/**
 * Retries until the hub answers, with a result or a refusal.
 * @template T
 * @param {() => Promise<T>} action
 * @param {{ signal: AbortSignal, onLost: (failure: CallFailure) => void }} options
 * @returns {Promise<T>}
 */
export async function untilAnswered(action, { signal, onLost }) {
  const backoff = createBackoff()
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (signal.aborted || !isLost(error)) throw error
      onLost(error)
      await backoff.wait(signal)
    }
  }
}

/**
 * The hub did not answer, so a retry makes sense.
 * @param {unknown} error
 * @returns {error is CallFailure}
 */
export function isLost(error) {
  return error instanceof CallFailure && error.kind === 'lost'
}

const firstMs = 250
const longestMs = 5_000

/** Random, so that not all viewers retry at the same time. A restored network ends the wait. */
export function createBackoff() {
  let failures = 0
  return {
    reset: () => void (failures = 0),
    /** @type {(signal: AbortSignal) => Promise<void>} */
    wait(signal) {
      const ms = Math.min(firstMs * 2 ** failures++, longestMs) * (0.5 + Math.random() / 2)
      return new Promise((resolve) => {
        const done = new AbortController()
        const end = () => {
          clearTimeout(timer)
          done.abort()
          resolve()
        }
        const timer = setTimeout(end, ms)
        addEventListener('online', end, { signal: done.signal })
        signal.addEventListener('abort', end, { signal: done.signal })
      })
    },
  }
}
