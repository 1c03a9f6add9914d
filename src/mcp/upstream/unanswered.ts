/** A request that got no answer, whatever the upstream would have said. */
import { HubError, messageOf } from '../../base/hub-error.ts'
import { errorCode, RpcError } from '../wire.ts'
import { NotSent } from './transport.ts'

/**
 * `unsent`: the upstream cannot have seen it. `ended`: it ended in between. `lost`: it lives, but the answer will not
 * come. `stopped`: we ended it ourselves, on purpose.
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

/** What a message came to that could not be sent. `undefined`: it was refused, and no more is to be said about it. */
export function fateOf(error: unknown): Fate | undefined {
  if (error instanceof NotSent) return 'unsent'
  // With a status it was answered, if only by HTTP.
  return error instanceof HubError && error.data?.['status'] === undefined ? 'lost' : undefined
}

export function orUnanswered(error: unknown): unknown {
  const fate = fateOf(error)
  return fate === undefined ? error : new Unanswered(fate, messageOf(error))
}

/** What the caller is told. What the upstream itself said stays as it came. */
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

const unknownEffect = 'whether it took effect is not known.'
const sentences: Readonly<Record<Fate, string>> = {
  unsent: 'could not be reached; the call had no effect.',
  ended: `ended while the call ran; ${unknownEffect}`,
  lost: `took the call, but its answer did not come; ${unknownEffect}`,
  stopped: `was stopped while the call ran; ${unknownEffect}`,
}
