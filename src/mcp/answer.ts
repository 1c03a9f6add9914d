/** Runs what answers a request and turns every way it can fail into the one response the caller gets. */
import type { HubErrorCode } from '../base/hub-error.ts'
import { HubError } from '../base/hub-error.ts'
import type { RequestId, RpcResponse } from './wire.ts'
import { errorCode, failure, RpcError, success } from './wire.ts'

export interface Answer {
  readonly response: RpcResponse
  /** The HTTP status the revision demands for it. */
  readonly status: number
}

export async function answer(
  id: RequestId,
  run: () => object | Promise<object>,
  { signal, onBug }: { signal: AbortSignal; onBug: (error: unknown) => void },
): Promise<Answer> {
  try {
    const result = await run()
    signal.throwIfAborted()
    return { response: success(id, result), status: 200 }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    if (signal.aborted && !(reason instanceof RpcError)) return { response: failure(id, cancelled), status: 200 }
    const { response, status } = failureOf(id, reason, onBug)
    // What a handler says travels in-band; only where the revision demands it, its code is a status too.
    return { response, status: reason instanceof RpcError && reason.status ? status : 200 }
  }
}

/** The answer to a request that was refused before anything ran. */
export function failureOf(id: RequestId | null, error: unknown, onBug: (error: unknown) => void): Answer {
  if (error instanceof RpcError) return { response: failure(id, error), status: error.status ?? 400 }
  if (error instanceof HubError) {
    const [code, status] = codesOf[error.code]
    return { response: failure(id, { code, message: error.message, data: error.data }), status }
  }
  onBug(error)
  return { response: failure(id, hubFailed), status: 500 }
}

/** The peer may ignore it, but each request gets exactly one answer. */
const cancelled = { code: errorCode.cancelled, message: 'The request was cancelled.' }
const hubFailed = { code: errorCode.internal, message: 'The hub failed. Its log says more.' }

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
