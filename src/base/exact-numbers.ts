/**
 * Numbers of JSON that JavaScript would change: integers of which a double keeps the first digits only, and what is too
 * large for it altogether. Fractions are rounded, as everywhere.
 */

/** A number that is written as it was read. */
export interface RawNumber {
  readonly rawJSON: string
}

/** TypeScript does not know these yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/** A reviver is called for each value, some hundred nanoseconds long: beyond this, numbers are what JavaScript makes of them. */
export const longestExactText = 4 * 1024 * 1024

/** As `JSON.parse`, but numbers that it would change become such that `JSON.stringify` writes digit for digit. */
export function parseExactly(text: string): unknown {
  if (text.length > longestExactText || inexactNumber(text) === undefined) return JSON.parse(text)
  return parse(text, (_, value, { source }) => {
    return typeof value === 'number' && source !== undefined && isInexact(source) ? rawJSON(source) : value
  })
}

/** The first number of a text that JavaScript would change, as it is written. */
export function inexactNumber(text: string): string | undefined {
  if (!mayBeInexact.test(text)) return undefined
  const isInString = stringsOf(text)
  for (const { 0: source, index } of text.matchAll(number)) {
    if (isInexact(source) && !isInString(index)) return source
  }
  return undefined
}

export const isRawNumber = isRawJSON

/** For whoever must reckon with it. */
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

/** Whether a place is inside a string, for places that come in their order. */
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
