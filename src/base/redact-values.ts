/**
 * Finds secret values that the process itself resolved, anywhere in a text: plain, percent-encoded, JSON-escaped, and
 * inside base64 at any offset (basic auth is the base64 of "user:secret").
 *
 * Each spelling is looked up by its first characters, after a small table that rules out most positions of a clean text.
 * So the cost does not depend on the number of secrets.
 */
import { Buffer } from 'node:buffer'
import { hasEncodings, undoEncodings } from './undo-encodings.ts'
import type { TextRange } from './text-ranges.ts'

export interface SecretValues {
  add(value: string): void
  /** From now on, finds base64 that contains this text, but not the text itself. */
  addInsideBase64(text: string): void
  find(text: string): TextRange[]
  /** Whether some secret consists of digits only, so that a number could be one. */
  readonly mayBeNumber: boolean
}

/** A shorter value would match by accident. */
const shortestSecret = 6

export function createSecretValues(): SecretValues {
  const asWritten = createSpellings()
  const undone = createSpellings()
  let mayBeNumber = false

  const addSpelling = (text: string, isBase64: boolean): void => {
    asWritten.add({ text, isBase64 })
    undone.add({ text: undoEncodings(text).text, isBase64 })
  }
  const addInsideBase64 = (text: string): void => base64Spellings(text).forEach((part) => addSpelling(part, true))

  return {
    add(value) {
      for (const secret of [value, ...partsWorthHiding(value)]) {
        if (secret.length < shortestSecret) continue
        mayBeNumber ||= /^\d+$/.test(secret)
        for (const text of new Set([secret, jsonEscaped(secret), encodeURIComponent(secret.toWellFormed())])) {
          addSpelling(text, false)
          addInsideBase64(text)
        }
      }
    },
    addInsideBase64,
    find(text) {
      const found = asWritten.find(text)
      if (!hasEncodings(text)) return found
      const view = undoEncodings(text)
      return [...found, ...undone.find(view.text).map((range) => view.toOriginal(range))]
    },
    get mayBeNumber() {
      return mayBeNumber
    },
  }
}

/** The password inside a connection URL; the single lines of a key file, since programs print line by line. */
function partsWorthHiding(secret: string): string[] {
  const lines = secret.includes('\n') ? secret.split(/\r?\n/).map((line) => line.trim()) : []
  const parts = [secret.trim(), ...lines.filter((line) => line.length >= 16 && !line.startsWith('-----'))]
  const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]+)@/i.exec(secret)
  if (userInfo?.[1] !== undefined) parts.push(userInfo[1], decoded(userInfo[1]))
  return parts.filter((part) => part !== secret)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * The base64 characters that depend on this text alone, for each of the three offsets it may have in the encoded data,
 * in both alphabets.
 */
function base64Spellings(text: string): Set<string> {
  const bytes = Buffer.from(text)
  const spellings = new Set<string>()
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const whole = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    spellings.add(whole)
    spellings.add(whole.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return spellings
}

interface Spelling {
  readonly text: string
  readonly isBase64: boolean
}

function createSpellings(): { add(spelling: Spelling): void; find(text: string): TextRange[] } {
  const byPrefix = new Map<string, Spelling[]>()
  const mayBegin = new Uint8Array(tableSize)

  const longestAt = (text: string, start: number): Spelling | undefined => {
    let longest: Spelling | undefined
    for (const spelling of byPrefix.get(text.slice(start, start + prefixLength)) ?? []) {
      if (text.startsWith(spelling.text, start) && spelling.text.length > (longest?.text.length ?? 0))
        longest = spelling
    }
    return longest
  }

  return {
    add(spelling) {
      // A spelling that decoding made too short is still found as written.
      if (spelling.text.length < prefixLength) return
      const prefix = spelling.text.slice(0, prefixLength)
      const known = byPrefix.get(prefix) ?? []
      if (known.some(({ text }) => text === spelling.text)) return
      byPrefix.set(prefix, [...known, spelling])
      mayBegin[tableIndex(prefix.charCodeAt(0), prefix.charCodeAt(1), prefix.charCodeAt(2))] = 1
    },
    find(text) {
      const found: TextRange[] = []
      if (byPrefix.size === 0) return found
      for (let start = nextCandidate(text, 0, mayBegin); start !== -1;) {
        const spelling = longestAt(text, start)
        let next = start + 1
        if (spelling !== undefined) {
          const range = { start, end: start + spelling.text.length }
          found.push(spelling.isBase64 ? wholeBase64(text, range) : range)
          // A base64 run is hidden as a whole. In plain text, another secret may begin inside this one.
          if (spelling.isBase64) next = found.at(-1)!.end
        }
        start = nextCandidate(text, next, mayBegin)
      }
      return found
    },
  }
}

const prefixLength = shortestSecret
const tableSize = 1 << 14

function tableIndex(first: number, second: number, third: number): number {
  return (first ^ (second << 4) ^ (third << 8)) & (tableSize - 1)
}

/** The next position where a spelling may begin, according to its first three characters. */
function nextCandidate(text: string, from: number, mayBegin: Uint8Array): number {
  const last = text.length - prefixLength
  let first = text.charCodeAt(from)
  let second = text.charCodeAt(from + 1)
  for (let start = from; start <= last; start++) {
    const third = text.charCodeAt(start + 2)
    if (mayBegin[tableIndex(first, second, third)] === 1) return start
    first = second
    second = third
  }
  return -1
}

/** The neighbours of a secret in base64 share bits with it, so the whole run is hidden, up to a limit. */
function wholeBase64(text: string, { start, end }: TextRange): TextRange {
  const first = Math.max(0, start - longestBase64)
  const last = Math.min(text.length, end + longestBase64)
  while (start > first && isBase64(text.charCodeAt(start - 1))) start--
  while (end < last && isBase64(text.charCodeAt(end))) end++
  return { start, end }
}

/** Bounded, so that a text of nothing but secrets does not take quadratic time. */
const longestBase64 = 1024

function isBase64(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
  // + / = of base64, - _ of base64url
  return isLetter || (code >= 48 && code <= 57) || [43, 47, 61, 45, 95].includes(code)
}
