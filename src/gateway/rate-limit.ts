/** Limits how much an upstream may send besides its answers. The excess does not pass. */
import { jsonSize } from '../base/json-size.ts'

/** `most` at once, then `perSecond` more each second. */
interface RateLimits {
  readonly messages: { readonly most: number; readonly perSecond: number }
  readonly bytes: { readonly most: number; readonly perSecond: number }
}

/** For progress and log lines. */
export const noticeLimits: RateLimits = {
  messages: { most: 1_000, perSecond: 100 },
  bytes: { most: 4 * 1024 * 1024, perSecond: 1024 * 1024 },
}

/** Returns a function that says whether one more message may pass. */
export function createRateLimit(
  { messages, bytes }: RateLimits,
  now: () => number = () => performance.now(),
): (message: object | undefined) => boolean {
  let budget = { messages: messages.most, bytes: bytes.most }
  let at = now()

  return (message) => {
    const seconds = (now() - at) / 1_000
    at = now()
    budget = {
      messages: Math.min(budget.messages + seconds * messages.perSecond, messages.most),
      bytes: Math.min(budget.bytes + seconds * bytes.perSecond, bytes.most),
    }
    if (budget.messages < 1 || budget.bytes <= 0) return false
    budget.messages -= 1
    // A message may be larger than the whole budget. Later ones then wait longer.
    budget.bytes -= jsonSize(message)
    return true
  }
}
