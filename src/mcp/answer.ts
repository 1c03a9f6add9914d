/** Runs what answers a request and turns every way it can fail into the one response the caller gets. */
import type { HubErrorCode } from '../base/hub-error.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Cancellation } from './cancellation.ts'
import type { RequestId, RpcResponse } from './wire.ts'
import { errorCode, failure, RpcError, success } from './wire.ts'

export interface Answer {
  readonly response: RpcResponse
  /** The HTTP status the revision demands for it. */
  readonly status: number
}

export interface Question {
  readonly id: RequestId
  readonly method: string
  readonly correlation: string
  readonly cancellation: Cancellation
  readonly log: Log
  run(): object | Promise<object>
}

export async function answer({ id, method, correlation, cancellation, log, run }: Question): Promise<Answer> {
  const startedAt = performance.now()
  const done = (response: RpcResponse, status: number): Answer => {
    const outcome = 'result' in response ? 'ok' : response.error.code
    log.debug({ correlation, method, outcome, ms: performance.now() - startedAt }, 'answered')
    return { response, status }
  }
  try {
    return done(success(id, await cancellation.race(run())), 200)
  } catch (error) {
    const reason: unknown = cancellation.isCancelled ? cancellation.reason : error
    if (cancellation.isCancelled && !(reason instanceof RpcError)) return done(failure(id, cancelled), 200)
    const onBug = (bug: unknown) => log.error({ error: bug, correlation, method }, 'a request failed')
    const { response, status } = failureOf(id, reason, onBug, correlation)
    // What a handler says travels in-band; only where the revision demands it, its code is a status too.
    return done(response, reason instanceof RpcError && reason.status ? status : 200)
  }
}

/** The answer to a request that was refused before anything ran. */
export function failureOf(
  id: RequestId | null,
  error: unknown,
  onBug: (error: unknown) => void,
  correlation?: string,
): Answer {
  if (error instanceof RpcError) return { response: failure(id, error), status: error.status ?? 400 }
  if (error instanceof HubError) {
    const [code, status] = codesOf[error.code]
    return { response: failure(id, { code, message: error.message, data: error.data }), status }
  }
  onBug(error)
  const place = correlation === undefined ? '' : ` under ${correlation}`
  const message = `The hub failed. Its log says more${place}.`
  return { response: failure(id, { code: errorCode.internal, message }), status: 500 }
}

/** The peer may ignore it, but each request gets exactly one answer. */
const cancelled = { code: errorCode.cancelled, message: 'The request was cancelled.' }

/** JSON-RPC code and HTTP status. */
const codesOf: Readonly<Record<HubErrorCode, readonly [number, number]>> = {
  invalid: [errorCode.invalidParams, 400],
  unauthorized: [errorCode.invalidRequest, 401],
  forbidden: [errorCode.invalidRequest, 403],
  'not-found': [errorCode.invalidParams, 404],
  conflict: [errorCode.invalidRequest, 409],
  'too-large': [errorCode.invalidRequest, 413],
  busy: [errorCode.busy, 429],
  unavailable: [errorCode.unavailable, 503],
}
