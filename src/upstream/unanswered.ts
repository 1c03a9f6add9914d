/** A request that got no answer from the upstream. */
import { HubError, messageOf } from '../base/hub-error.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import { NotSent } from './transport.ts'

/**
 * `unsent`: the upstream cannot have seen the request. `ended`: the upstream ended meanwhile. `lost`: the upstream
 * runs, but the answer will not arrive. `stopped`: we ended the upstream on purpose.
 */
export type Fate = 'unsent' | 'ended' | 'lost' | 'stopped'

export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly fate: Fate

  constructor(fate: Fate, reason: string) {
    super(reason)
    this.fate = fate
  }
}

/** The fate of a message that could not be sent. `undefined`: the upstream refused it, so the error is the answer. */
export function fateOf(error: unknown): Fate | undefined {
  if (error instanceof NotSent) return 'unsent'
  // An error with a status is an answer, even if only by HTTP.
  return error instanceof HubError && error.data?.['status'] === undefined ? 'lost' : undefined
}

export function orUnanswered(error: unknown): unknown {
  const fate = fateOf(error)
  return fate === undefined ? error : new Unanswered(fate, messageOf(error))
}

/** The error for the caller. An error from the upstream itself stays unchanged. */
export function toRpcError(error: unknown, upstream: string, redact: (text: string) => string): unknown {
  if (error instanceof Unanswered) {
    const reason = redact(error.message)
    return new RpcError(
      errorCode.unavailable,
      `The upstream "${upstream}" ${sentences[error.fate]} ${reason}`.trimEnd(),
    )
  }
  if (error instanceof HubError && error.code !== 'invalid') {
    return new RpcError(errorCode.unavailable, redact(error.message), { data: error.data })
  }
  return error
}

const unknownEffect = 'it is not known whether it took effect.'
const sentences: Readonly<Record<Fate, string>> = {
  unsent: 'could not be reached; the call had no effect.',
  ended: `ended while the call ran; ${unknownEffect}`,
  lost: `accepted the call, but its answer did not arrive; ${unknownEffect}`,
  stopped: `was stopped while the call ran; ${unknownEffect}`,
}
