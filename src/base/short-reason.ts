/** Reasons of failures are kept, repeated to each caller, and listed with those of others. */
const longestReason = 2_000

/** Read from bytes, because a part of a text keeps the whole text in memory. */
export function shortReason(reason: string): string {
  return Buffer.from(reason.slice(0, longestReason)).toString()
}
