/**
 * Weighs a JSON text before it is parsed, because a value takes up to a hundred times the memory of its text. Reads the
 * bytes once, and skips long strings.
 */
import { deepestNesting } from './json-nesting.ts'

/** Counts keys and array elements. More than any honest message has, and parsed in about 50 milliseconds. */
const mostInMessage = 200_000
/** Numbers, blanks and punctuation, of each member. */
const bytesOutsideStrings = 20
/** A search for the end of a string is faster than a look at each byte, but only in a long string. */
const searchAfter = 64

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Why the text is too heavy to parse. `undefined`: it is not. */
export function whyTooHeavy(bytes: Buffer, mostMembers = mostInMessage): string | undefined {
  const { length } = bytes
  const mostOutsideStrings = bytesOutsideStrings * mostMembers
  // A level takes a byte or more.
  if (length <= deepestNesting) return undefined
  let members = 0
  let depth = 0
  let outside = 0
  /** The next backslash and the next quote, once they were searched for. Each search goes on where the last one ended. */
  let slash = -1
  let nextQuote = -1

  function endOfString(start: number): number {
    let looked = 0
    for (let at = start + 1; at < length; at++) {
      const code = bytes[at]
      if (code === quote) return at
      if (code === backslash) {
        at++
        looked = 0
      } else if (++looked > searchAfter) {
        looked = 0
        if (slash < at) slash = indexOrEnd(backslash, at)
        if (nextQuote < at) nextQuote = indexOrEnd(quote, at)
        at = Math.min(slash, nextQuote) - 1
      }
    }
    return length
  }

  function indexOrEnd(code: number, from: number): number {
    const index = bytes.indexOf(code, from)
    return index < 0 ? length : index
  }

  for (let at = 0; at < length; at++) {
    const code = bytes[at]
    if (code === quote) at = endOfString(at)
    else if (code === comma) members++
    else if (code === openBracket || code === openBrace) {
      members++
      if (++depth > deepestNesting) return `it is nested deeper than ${deepestNesting} levels`
    } else if (code === closeBracket || code === closeBrace) depth--
    if (members > mostMembers) return `it has more than ${mostMembers} keys and array elements`
    if (++outside > mostOutsideStrings) return `it has more than ${mostOutsideStrings} bytes outside of its texts`
  }
  return undefined
}
