/**
 * Supervises one upstream: starts it when it is first needed, restarts it with backoff after it ends, and stops trying
 * for a while if it keeps failing. Concurrent callers share one start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../base/backoff.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import type { Connection } from './connection.ts'
import { abortable } from '../base/abortable.ts'
import type { UpstreamStatus } from './upstream-types.ts'

export interface Supervisor {
  readonly status: UpstreamStatus
  readonly connection: Connection | undefined
  /** Starts the upstream if it does not run. Rejects with the reason; at once if it keeps failing. */
  connected(signal?: AbortSignal): Promise<Connection>
  /** A call was answered, so earlier failures no longer count. */
  answered(): void
  ended(connection: Connection, reason: string): void
  /** Ends the connection, forgets earlier failures, and starts again. */
  restart(): Promise<void>
  dispose(): Promise<void>
}

export interface SupervisorOptions {
  readonly name: string
  /** How long a caller waits for an upstream that ran before. */
  readonly waitMs: number
  open(signal: AbortSignal): Promise<Connection>
  /** Says to people why the upstream could not be opened or has ended. */
  reasonOf(error: unknown): string
  readonly onStatus: (status: UpstreamStatus) => void
  /** `isAgain`: this is a restart, and notices between the two connections were missed. */
  readonly onUp: (connection: Connection, isAgain: boolean) => void
  /** The connection and its requests are about to end. */
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

/** Failures in a row, with no answered call between them. */
const maxFailures = 5
const givenUpMs = 60_000
const restarts = { firstMs: 200, longestMs: 30_000 }
/** An upstream that ran this long counts as healthy, even if it was never called. */
const healthyMs = 60_000

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { open, reasonOf, onStatus, onUp, onDown, random } = options
  let state: State = { is: 'stopped' }
  let status: UpstreamStatus = { is: 'stopped' }
  let failures = 0
  let lastReason: string | undefined
  let hasRun = false
  let stopper = new AbortController()
  let closing: Promise<unknown> = Promise.resolve()

  function setStatus(next: UpstreamStatus): void {
    status = next
    onStatus(next)
  }

  function begin(): Promise<Connection> {
    if (state.is === 'given-up') clearTimeout(state.timer)
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    promise.catch(() => {})
    // Set the state first: a listener to the status change may want to share this start.
    state = { is: 'starting', attempt: promise }
    tryOnce(stopper.signal).then(resolve, reject)
    return promise
  }

  async function tryOnce(signal: AbortSignal): Promise<Connection> {
    const waitMs = failures === 0 || failures >= maxFailures ? 0 : backoffMs(restarts, failures, random)
    try {
      setStatus({
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
      setStatus({ is: 'running' })
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
      setStatus({ is: 'failed', reason, retryAt: later(givenUpMs) })
    } else if (hasRun) {
      void begin()
    } else {
      state = { is: 'stopped' }
      setStatus({ is: 'failed', reason })
    }
  }

  function unavailable(reason: string): RpcError {
    return new RpcError(errorCode.unavailable, `The upstream "${options.name}" is not available. ${reason}`)
  }

  function ended(connection: Connection, why: string): void {
    if (state.is !== 'running' || state.connection !== connection) return
    if (performance.now() - state.since > healthyMs) failures = 0
    onDown()
    closing = connection.close('ended', why)
    lastReason = reasonOf(why)
    failed(lastReason)
  }

  /** Ends the current connection or start. The next start waits until it is gone. */
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
      const until = performance.now() + options.waitMs
      for (;;) {
        const current = state
        if (current.is === 'running') return current.connection
        if (current.is === 'disposed') throw unavailable('It was shut down.')
        if (current.is === 'given-up' && Date.now() < current.until) {
          throw unavailable(`${current.reason} The next attempt is at ${new Date(current.until).toISOString()}.`)
        }
        const generation = stopper
        try {
          return await abortable(current.is === 'starting' ? current.attempt : begin(), signal)
        } catch (error) {
          if (signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled.')
          if (stopper !== generation) continue
          // An upstream that never ran is probably misconfigured. One that ran before will probably be back.
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
      setStatus({ is: 'stopped' })
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
