/** Runs the code that answers a request, and turns its result or failure into exactly one response. */
import type { Log } from '../base/log.ts'
import type { Answer, RequestId, RpcResponse } from '../mcp/mcp.ts'
import { errorCode, failure, failureOf, RpcError, success } from '../mcp/mcp.ts'
import type { Cancellation } from './cancellation.ts'

export interface RequestToAnswer {
  readonly id: RequestId
  readonly method: string
  readonly correlation: string
  readonly cancellation: Cancellation
  /** Counts the request while it runs. Throws if it may not start. */
  enter(): Disposable
  readonly log: Log
  run(): object | Promise<object>
}

export async function answer({
  id,
  method,
  correlation,
  cancellation,
  enter,
  log,
  run,
}: RequestToAnswer): Promise<Answer> {
  const startedAt = performance.now()
  const done = (response: RpcResponse, status: number): Answer => {
    const outcome = 'result' in response ? 'ok' : response.error.code
    log.debug({ correlation, method, outcome, ms: performance.now() - startedAt }, 'answered')
    return { response, status }
  }
  try {
    using _ = enter()
    return done(success(id, await cancellation.race(run())), 200)
  } catch (error) {
    const reason: unknown = cancellation.isCancelled ? cancellation.reason : error
    if (cancellation.isCancelled && !(reason instanceof RpcError)) return done(failure(id, cancelled), 200)
    const onBug = (bug: unknown) => log.error({ error: bug, correlation, method }, 'a request failed')
    const { response, status } = failureOf(id, reason, onBug, correlation)
    // A handler's error is sent in the body with status 200, unless the revision demands an HTTP status for it.
    return done(response, reason instanceof RpcError && reason.status ? status : 200)
  }
}

/** The peer may ignore this answer, but each request gets exactly one. */
const cancelled = { code: errorCode.cancelled, message: 'The request was cancelled.' }
