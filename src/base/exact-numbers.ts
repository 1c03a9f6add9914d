/**
 * The hub never changes a number silently. JavaScript would change integers with more digits than a double holds, and
 * numbers that are too large for one. Such numbers of an upstream are relayed digit for digit. A client's request with
 * one is refused, because the policy cannot compare it. Fractions are rounded, as in every JSON parser.
 */
import { HubError } from './hub-error.ts'

/** A number that is written exactly as it was read. */
export interface RawNumber {
  readonly rawJSON: string
}

/** TypeScript has no types for these yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/** Exact parsing takes a few hundred nanoseconds per value and blocks the hub, so it is bounded. */
export const longestExactText = 4 * 1024 * 1024

/**
 * Like `JSON.parse`, but a number that it would change is written digit for digit by `JSON.stringify`. Throws a
 * `HubError` if a text with such a number is too long.
 */
export function parseExactly(text: string): unknown {
  const inexact = inexactNumber(text)
  if (inexact === undefined) return JSON.parse(text)
  if (text.length > longestExactText) {
    throw new HubError(
      'too-large',
      `The message is longer than ${longestExactText} bytes and contains the number ${inexact.slice(0, 40)}, which JavaScript would change. Send less at once, or send the number as a string.`,
    )
  }
  return parse(text, (_, value, { source }) => {
    return typeof value === 'number' && source !== undefined && isInexact(source) ? rawJSON(source) : value
  })
}

/** The first number in a JSON text that JavaScript would change, as it is written there. */
export function inexactNumber(text: string): string | undefined {
  if (!mayBeInexact.test(text)) return undefined
  const isInString = stringsOf(text)
  for (const { 0: source, index } of text.matchAll(number)) {
    if (isInexact(source) && !isInString(index)) return source
  }
  return undefined
}

export const isRawNumber = isRawJSON

/** `source`: a number as JSON writes it. */
export const toRawNumber = rawJSON

/** The value as a JavaScript number, for arithmetic. */
export function plainNumber(value: unknown): unknown {
  return isRawNumber(value) ? Number(value.rawJSON) : value
}

const mayBeInexact = /[:[,\s-]\d{16}|\d[eE]\+?\d{3}/
const number = /(?<=[:[,\s])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const longInteger = /^-?\d{16,}$/

function isInexact(source: string): boolean {
  if (longInteger.test(source)) return String(Number(source)) !== source
  return /[eE]/.test(source) && !Number.isFinite(Number(source))
}

/** Returns a function that says whether a position is inside a string. Positions must be asked in ascending order. */
function stringsOf(text: string): (place: number) => boolean {
  let at = 0
  let isInString = false
  return (place) => {
    for (; at < place; at++) {
      const character = text[at]
      if (character === '"') isInString = !isInString
      else if (character === '\\') at++
    }
    return isInString
  }
}
