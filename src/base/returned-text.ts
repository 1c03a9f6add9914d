/**
 * Limits the texts that a peer makes up and the hub sends back to it: ids, cursors, tokens, addresses. Some of them go
 * into many messages, so an upstream or a client could fill the hub with one long text.
 */
import { isRawNumber } from './exact-numbers.ts'
import { HubError } from './hub-error.ts'

/** In characters. Most web servers accept no longer header. */
export const longestReturned = 8 * 1024

export class TooLongToReturn extends HubError {
  constructor(what: string, longest = longestReturned) {
    super('too-large', tooLongToReturn(what, longest))
  }
}

/** `what` begins a sentence: "An event id". */
export function tooLongToReturn(what: string, longest = longestReturned): string {
  return `${what} must be a text of at most ${longest} characters, because the hub sends it back.`
}

/** Ids and tokens are texts or numbers. An object may hold anything. */
export function isReturnable(value: unknown, longest = longestReturned): boolean {
  if (typeof value === 'string') return value.length <= longest
  if (isRawNumber(value)) return value.rawJSON.length <= longest
  return typeof value !== 'object' || value === null
}
