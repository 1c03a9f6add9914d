/**
 * Keeps one upstream alive: starts it when somebody needs it, again when it ended, later each time that fails, and not
 * at all for a while when it keeps failing. Whoever waits shares one start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, RpcError } from '../wire.ts'
import { backoffMs } from './backoff.ts'
import type { Connection } from './connection.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { UpstreamStatus } from './upstream.ts'

export interface Life {
  readonly status: UpstreamStatus
  readonly connection: Connection | undefined
  /** Starts it where it does not run. Rejects with why not; at once, where it keeps failing. */
  connected(signal?: AbortSignal): Promise<Connection>
  /** A call was answered: whatever was wrong is over. */
  answered(): void
  ended(connection: Connection, reason: string): void
  /** Ends what there is, forgets what went wrong, and starts anew. */
  restart(): Promise<void>
  dispose(): Promise<void>
}

export interface LifeOptions {
  readonly name: string
  /** How long a caller waits for an upstream that ran before. */
  readonly patienceMs: number
  open(signal: AbortSignal): Promise<Connection>
  /** Why it could not be opened or has ended, fit for people. */
  reasonOf(error: unknown): string
  readonly onStatus: (status: UpstreamStatus) => void
  /** `isAgain`: what came between the two was missed. */
  readonly onUp: (connection: Connection, isAgain: boolean) => void
  /** What runs will be gone. */
  readonly onDown: () => void
  readonly random: () => number
}

type State =
  | { readonly is: 'stopped' | 'disposed' }
  | { readonly is: 'starting'; readonly attempt: Promise<Connection> }
  | { readonly is: 'running'; readonly connection: Connection; readonly since: number }
  | {
      readonly is: 'given-up'
      readonly reason: string
      readonly until: number
      readonly timer: NodeJS.Timeout | undefined
    }

/** In a row, and no call was answered in between. */
const maxFailures = 5
const givenUpMs = 60_000
/** One that ran this long was sound, whether or not it was called. */
const soundMs = 60_000

export function createLife(options: LifeOptions): Life {
  const { open, reasonOf, onStatus, onUp, onDown, random } = options
  let state: State = { is: 'stopped' }
  let status: UpstreamStatus = { is: 'stopped' }
  let failures = 0
  let lastReason: string | undefined
  let hasRun = false
  let stopper = new AbortController()
  let closing: Promise<unknown> = Promise.resolve()

  function tell(next: UpstreamStatus): void {
    status = next
    onStatus(next)
  }

  function begin(): Promise<Connection> {
    if (state.is === 'given-up') clearTimeout(state.timer)
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    promise.catch(() => {})
    // First: whoever hears of the start may want to share it.
    state = { is: 'starting', attempt: promise }
    tryOnce(stopper.signal).then(resolve, reject)
    return promise
  }

  async function tryOnce(signal: AbortSignal): Promise<Connection> {
    const waitMs = failures === 0 || failures >= maxFailures ? 0 : backoffMs(failures, random)
    try {
      tell({
        is: 'initializing',
        ...(lastReason !== undefined && { reason: lastReason }),
        ...(waitMs > 0 && { retryAt: later(waitMs) }),
      })
      await closing
      if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false })
      signal.throwIfAborted()
      const connection = await open(signal)
      if (signal.aborted) throw await discarded(connection)
      state = { is: 'running', connection, since: performance.now() }
      tell({ is: 'running' })
      onUp(connection, hasRun)
      hasRun = true
      if (connection.endReason !== undefined) ended(connection, connection.endReason)
      return connection
    } catch (error) {
      if (signal.aborted) throw stopped()
      lastReason = reasonOf(error)
      failed(lastReason)
      throw unavailable(lastReason)
    }
  }

  async function discarded(connection: Connection): Promise<Error> {
    await connection.close('stopped', '')
    return stopped()
  }

  function failed(reason: string): void {
    failures++
    if (failures >= maxFailures) {
      const timer = hasRun ? setTimeout(() => void begin(), givenUpMs).unref() : undefined
      state = { is: 'given-up', reason, until: Date.now() + givenUpMs, timer }
      tell({ is: 'failed', reason, retryAt: later(givenUpMs) })
    } else if (hasRun) {
      void begin()
    } else {
      state = { is: 'stopped' }
      tell({ is: 'failed', reason })
    }
  }

  function unavailable(reason: string): RpcError {
    return new RpcError(errorCode.unavailable, `The upstream "${options.name}" is not available. ${reason}`)
  }

  function ended(connection: Connection, why: string): void {
    if (state.is !== 'running' || state.connection !== connection) return
    if (performance.now() - state.since > soundMs) failures = 0
    onDown()
    closing = connection.close('ended', why)
    lastReason = reasonOf(why)
    failed(lastReason)
  }

  /** Ends what there is, whatever it is doing; what comes next waits until it is gone. */
  function halt(): void {
    stopper.abort()
    stopper = new AbortController()
    const last = state
    if (last.is === 'given-up') clearTimeout(last.timer)
    if (last.is === 'running') onDown()
    const ending =
      last.is === 'running' ? last.connection.close('stopped', '') : last.is === 'starting' ? last.attempt : undefined
    closing = Promise.allSettled([closing, ending])
    state = { is: 'stopped' }
  }

  return {
    get status() {
      return status
    },
    get connection() {
      return state.is === 'running' ? state.connection : undefined
    },
    async connected(signal = never) {
      const until = performance.now() + options.patienceMs
      for (;;) {
        const current = state
        if (current.is === 'running') return current.connection
        if (current.is === 'disposed') throw unavailable('It was shut down.')
        if (current.is === 'given-up' && Date.now() < current.until) {
          throw unavailable(`${current.reason} It is tried again at ${new Date(current.until).toISOString()}.`)
        }
        const generation = stopper
        try {
          return await unlessAborted(current.is === 'starting' ? current.attempt : begin(), signal)
        } catch (error) {
          if (signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled.')
          if (stopper !== generation) continue
          // One that never ran is most likely set up wrongly; one that did will most likely be back.
          if (!hasRun || performance.now() > until) throw error
        }
      }
    },
    answered() {
      failures = 0
      lastReason = undefined
    },
    ended,
    async restart() {
      if (state.is === 'disposed') throw unavailable('It was shut down.')
      halt()
      failures = 0
      lastReason = undefined
      await begin()
    },
    async dispose() {
      halt()
      state = { is: 'disposed' }
      tell({ is: 'stopped' })
      await closing
    },
  }
}

const never = new AbortController().signal

function later(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

function stopped(): RpcError {
  return new RpcError(errorCode.unavailable, 'The upstream was stopped.')
}
