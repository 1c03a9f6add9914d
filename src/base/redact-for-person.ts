/**
 * Redacts a call that a person must decide about. The caller must not be able to hide parts of the call from the
 * person, so text that only looks like "token: …" is shown. It hides secrets that the process knows, tokens of the hub
 * by their shape, and values under a secret name. It lists hidden parts apart from the text, because the text itself
 * may contain "[redacted]".
 */
import { deepestNesting } from './json-nesting.ts'
import { isHidden, redactedText, secretName } from './redact-names.ts'
import { findOwnTokens } from './redact-text.ts'
import type { SecretValues } from './redact-values.ts'
import type { TextRange } from './text-ranges.ts'
import { freeName, lengthOfRanges, replaceRanges } from './text-ranges.ts'
import { hasEncodings, undoEncodings } from './undo-encodings.ts'

export interface ShownToPerson {
  readonly value: unknown
  readonly hidden: readonly HiddenPart[]
}

export interface HiddenPart {
  /** A JSON Pointer (RFC 6901), cut if it is very long. Empty for the sum of the parts above `mostParts`. */
  readonly at: string
  readonly characters: number
}

/** Bounded, because the caller chooses how much there is to hide. */
const mostParts = 50
const longestPointer = 200

/** `input` must be JSON data. */
export function showToPerson(input: unknown, secrets: Pick<SecretValues, 'find' | 'mayBeNumber'>): ShownToPerson {
  const hidden: HiddenPart[] = []
  const path: string[] = []
  let unlistedCharacters = 0

  function note(characters: number): void {
    if (hidden.length < mostParts) hidden.push({ at: pointerTo(path), characters })
    else unlistedCharacters += characters
  }

  function hide(value: unknown): string {
    note(typeof value === 'string' ? value.length : JSON.stringify(value).length)
    return redactedText
  }

  const secretsIn = (text: string): TextRange[] => [...secrets.find(text), ...ownTokensIn(text)]

  function showText(text: string): string {
    const ranges = secretsIn(text)
    if (ranges.length === 0) return text
    note(lengthOfRanges(ranges))
    return replaceRanges(text, ranges, redactedText)
  }

  function show(value: unknown): unknown {
    if (typeof value === 'string') return showText(value)
    if (typeof value === 'number') {
      return secrets.mayBeNumber && secrets.find(String(value)).length > 0 ? hide(value) : value
    }
    if (typeof value !== 'object' || value === null) return value
    if (path.length >= deepestNesting) return hide(value)
    if (!Array.isArray(value)) return showFields(value)
    return value.map((item: unknown, index) => {
      path.push(String(index))
      const shown = show(item)
      path.pop()
      return shown
    })
  }

  function showFields(fields: object): object {
    const names = new Set<string>()
    const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => {
      const ranges = secretsIn(name)
      // Two names that are hidden entirely must stay different, or one field would be lost.
      const shownName = freeName(replaceRanges(name, ranges, redactedText), names)
      names.add(shownName)
      path.push(shownName)
      if (ranges.length > 0) note(lengthOfRanges(ranges))
      const shown = isSecret(name, value) ? hide(value) : show(value)
      path.pop()
      return [shownName, shown] as const
    })
    return Object.fromEntries(entries)
  }

  const value = show(input)
  const isComplete = unlistedCharacters === 0
  return { value, hidden: isComplete ? hidden : [...hidden, { at: '', characters: unlistedCharacters }] }
}

function isSecret(name: string, value: unknown): boolean {
  const kind = secretName(name)
  // The keys typed into a terminal are exactly what the person must see.
  return kind !== undefined && name !== 'keys' && isHidden(kind, value)
}

function ownTokensIn(text: string): TextRange[] {
  const found = findOwnTokens(text)
  if (!hasEncodings(text)) return found
  const undone = undoEncodings(text)
  return [...found, ...findOwnTokens(undone.text).map((range) => undone.toOriginal(range))]
}

function pointerTo(path: readonly string[]): string {
  const steps = path.map((name) => `/${name.slice(0, longestPointer).replaceAll('~', '~0').replaceAll('/', '~1')}`)
  const pointer = steps.join('')
  return pointer.length > longestPointer ? `${pointer.slice(0, longestPointer)}…` : pointer
}
