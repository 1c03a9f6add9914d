/** Turns an error into its response: a protocol error as it is, a `HubError` by its code, a bug as "The hub failed". */
import type { HubErrorCode } from '../base/hub-error.ts'
import { HubError } from '../base/hub-error.ts'
import type { RequestId, RpcResponse } from './wire.ts'
import { errorCode, failure, RpcError } from './wire.ts'

export interface Answer {
  readonly response: RpcResponse
  /** The HTTP status for the response. */
  readonly status: number
}

/** The response to a request that failed. `onBug` logs an unexpected error. */
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
