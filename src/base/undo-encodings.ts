/**
 * Decodes percent-encoding and backslash escapes in a text, at all levels at once ("%2540" and "\\\"" too), and maps
 * each part back to its range in the original. The result is for comparing, not for showing: a search for a secret
 * decodes the secret as well, so both sides lose the same.
 */
import type { TextRange } from './text-ranges.ts'

export interface UndoneText {
  readonly text: string
  toOriginal(range: TextRange): TextRange
}

/** Four numbers per escape, its decoded and its original range. The array is flat, since a text may hold millions. */
type Escapes = number[]
const decodedStartField = 0
const decodedEndField = 1
const originalStartField = 2
const originalEndField = 3
const fieldsPerEscape = 4

/** Whether decoding could change anything. */
export function hasEncodings(text: string): boolean {
  return text.includes('%') || text.includes('\\') || text.includes('+')
}

export function undoEncodings(text: string): UndoneText {
  const escapes: Escapes = []
  const parts: string[] = []
  let length = 0
  let copied = 0
  const take = (start: number, { decoded, end }: Decoded): void => {
    if (start > copied) parts.push(text.slice(copied, start))
    parts.push(decoded)
    length += start - copied
    escapes.push(length, length + decoded.length, start, end)
    length += decoded.length
    copied = end
  }
  for (let index = nextEscape(text, 0); index < text.length; index = nextEscape(text, Math.max(copied, index + 1))) {
    const decoded = text.charCodeAt(index) === percentCode ? decodePercent(text, index) : decodeBackslashes(text, index)
    if (decoded !== undefined) take(index, decoded)
  }
  parts.push(text.slice(copied))
  return {
    // Forms encode a space as "+". Both become a space, so that neither spelling hides a secret.
    text: parts.join('').replaceAll('+', ' '),
    toOriginal: ({ start, end }) => ({
      start: originalOf(escapes, start).start,
      end: originalOf(escapes, end - 1).end,
    }),
  }
}

interface Decoded {
  readonly decoded: string
  readonly end: number
}

const percentCode = 0x25
const backslashCode = 0x5c

function nextEscape(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === percentCode || code === backslashCode) return index
  }
  return text.length
}

/** Decodes one UTF-8 character written as "%C3%A9". A byte that is not UTF-8 becomes the character of its code. */
function decodePercent(text: string, start: number): Decoded | undefined {
  const first = percentByte(text, start)
  if (first === undefined) return undefined
  const more = first.byte >= 0xf0 ? 3 : first.byte >= 0xe0 ? 2 : first.byte >= 0xc0 ? 1 : 0
  let code = more === 0 ? first.byte : first.byte & (0x3f >> more)
  let end = first.end
  for (let count = 0; count < more; count++) {
    const next = percentByte(text, end)
    if (next === undefined || (next.byte & 0xc0) !== 0x80) {
      return { decoded: String.fromCharCode(first.byte), end: first.end }
    }
    code = (code << 6) | (next.byte & 0x3f)
    end = next.end
  }
  return { decoded: code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code), end }
}

/** Reads "%41", and also "%2541" or "%252541", which were encoded more than once. */
function percentByte(text: string, start: number): { byte: number; end: number } | undefined {
  if (text.charCodeAt(start) !== percentCode) return undefined
  let digits = start + 1
  while (text.startsWith('25', digits) && hexValue(text, digits + 2, 2) !== undefined) digits += 2
  const byte = hexValue(text, digits, 2)
  return byte === undefined ? undefined : { byte, end: digits + 2 }
}

const controlLetters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Decodes a run of backslashes and the character it escapes. Its length only shows how often it was escaped. */
function decodeBackslashes(text: string, start: number): Decoded {
  let next = start
  while (text.charCodeAt(next) === backslashCode) next++
  const character = text[next]
  if (character === undefined) return { decoded: '', end: next }
  const digits = character === 'u' ? 4 : character === 'x' ? 2 : 0
  const code = digits === 0 ? undefined : hexValue(text, next + 1, digits)
  if (code !== undefined) return { decoded: String.fromCharCode(code), end: next + 1 + digits }
  return { decoded: controlLetters[character] ?? character, end: next + 1 }
}

function hexValue(text: string, start: number, digits: number): number | undefined {
  let value = 0
  for (let index = start; index < start + digits; index++) {
    const code = text.charCodeAt(index)
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : code - 55
    if (!(digit >= 0 && digit <= 15) || (code > 57 && code < 65)) return undefined
    value = value * 16 + digit
  }
  return value
}

/** The range in the original of the character at `index` of the decoded text. */
function originalOf(escapes: Escapes, index: number): TextRange {
  let low = 0
  let high = escapes.length / fieldsPerEscape
  while (low < high) {
    const middle = (low + high) >> 1
    if (escapes[middle * fieldsPerEscape + decodedStartField]! <= index) low = middle + 1
    else high = middle
  }
  if (low === 0) return { start: index, end: index + 1 }
  const last = (low - 1) * fieldsPerEscape
  const decodedEnd = escapes[last + decodedEndField]!
  const end = escapes[last + originalEndField]!
  if (index < decodedEnd) return { start: escapes[last + originalStartField]!, end }
  const start = end + (index - decodedEnd)
  return { start, end: start + 1 }
}
