/**
 * The one place that removes secrets before data is stored, logged or shown: by name (redact-names), by context in a text
 * (redact-text), and by value, for secrets that the process itself resolved (redact-values).
 *
 * The result is plain JSON data and safe to serialise: no cycle, no class, bounded in depth and size. The size limits the
 * time too: callers and upstreams choose the data, and redaction blocks the hub.
 */
import { isRawNumber } from './exact-numbers.ts'
import { deepestNesting } from './json-nesting.ts'
import { findSecretsByContext, mayHideSecrets } from './redact-text.ts'
import type { ShownToPerson } from './redact-for-person.ts'
import { showToPerson } from './redact-for-person.ts'
import { isHidden, redactedText, secretName } from './redact-names.ts'
import type { SecretName } from './redact-names.ts'
import { createSecretValues } from './redact-values.ts'
import { freeName, replaceRanges } from './text-ranges.ts'
import { undoEncodings } from './undo-encodings.ts'

export type { HiddenPart } from './redact-for-person.ts'
export { redactedText } from './redact-names.ts'

export interface Redactor {
  /** From now on, hides this value everywhere. Values shorter than six characters are ignored. */
  addSecret(value: string): void
  /** A deep copy without secrets. Long texts and lists are cut, and a mark says so. */
  value(input: unknown): unknown
  /** The same for one text. */
  text(input: string): string
  /** For data that a person decides about: hides only text that is surely a secret, and lists the hidden parts. */
  forPerson(input: unknown): ShownToPerson
}

export function createRedactor(): Redactor {
  const secrets = createSecretValues()
  // The hub's own tokens are recognized by their shape, which base64 hides.
  secrets.addInsideBase64('sb_human_')
  secrets.addInsideBase64('sb_agent_')
  let names = new Map<string, KnownName>()
  let taken = 0
  let left: Budget = unlimited

  const hide = (): string => {
    taken++
    return redactedText
  }

  const knownName = (name: string): KnownName => {
    const known = names.get(name)
    if (known !== undefined) return known
    const fresh = { text: shortText(name, 0, longestName), secret: secretName(name) }
    if (names.size < mostKnownNames && name.length <= longestKnownName) names.set(name, fresh)
    return fresh
  }

  const text = (input: string, depth: number): string => {
    const byValue = secrets.find(input)
    const isSuspect = mayHideSecrets(input)
    if (byValue.length === 0 && !isSuspect && !input.includes('\\u')) return input
    const withoutValues = byValue.length === 0 ? input : replaceRanges(input, byValue, hide())
    const before = taken
    const parsed = parsedJson(withoutValues)
    const redacted = parsed === undefined ? undefined : JSON.stringify(within(unlimited, parsed, depth + 1))
    if (redacted !== undefined && taken > before) return redacted
    // Searched as text too, because of two equal names in one object parsing keeps only the last.
    const byContext = isSuspect ? findByContext(withoutValues) : []
    return byContext.length === 0 ? withoutValues : replaceRanges(withoutValues, byContext, hide())
  }

  const shortText = (input: string, depth: number, longest: number): string => {
    if (input.length <= longest) return text(input, depth)
    taken++
    const mark = cutMark(input.length, 'characters')
    if (longest === 0) return mark
    // A secret that the cut would divide lies within the overlap, so it is hidden before the overlap is cut off.
    const redacted = text(input.slice(0, longest + overlap), depth)
    const end = input.length > longest + overlap ? Math.max(0, redacted.length - overlap) : longest
    return `${redacted.slice(0, Math.min(end, longest))}… ${mark}`
  }

  const within = (budget: Budget, input: unknown, depth: number): unknown => {
    const outer = left
    left = { ...budget }
    const copied = copy(input, depth, [])
    left = outer
    return copied
  }

  const copy = (input: unknown, depth: number, ancestors: readonly object[]): unknown => {
    switch (typeof input) {
      case 'string': {
        const longest = Math.max(0, Math.min(left.longestText, left.characters))
        left.characters -= Math.min(input.length, longest)
        return shortText(input, depth, longest)
      }
      case 'number':
        return secrets.mayBeNumber && secrets.find(String(input)).length > 0 ? hide() : input
      case 'bigint':
        return text(String(input), depth)
      case 'symbol':
      case 'function':
        return undefined
      case 'boolean':
      case 'undefined':
        return input
      case 'object':
        return input === null ? null : copyObject(input, depth, ancestors)
    }
  }

  const copyObject = (input: object, depth: number, ancestors: readonly object[]): unknown => {
    if (ancestors.includes(input)) return '[circular]'
    if (depth >= deepestNesting) {
      taken++
      return '[too deep]'
    }
    const path = [...ancestors, input]
    const copyPart = (part: unknown): unknown => {
      left.parts--
      return copy(part, depth + 1, path)
    }
    try {
      const plain = toPlain(input)
      if (typeof plain !== 'object' || plain === null) return copyPart(plain)
      if (!Array.isArray(plain)) return copyFields(plain, copyPart)
      const fit = plain.slice(0, Math.max(0, left.parts))
      const list = copyList(fit, copyPart, hide)
      return fit.length === plain.length ? list : [...list, cutMark(plain.length - fit.length, 'more')]
    } catch {
      // A getter or toJSON that throws must not lose the whole record.
      return '[unreadable]'
    }
  }

  const copyFields = (input: object, copyPart: (part: unknown) => unknown): object => {
    const result: Record<string, unknown> = {}
    const pairName = nameOfPair(input)
    let names: Set<string> | undefined
    const all = Object.keys(input)
    for (const [index, name] of all.entries()) {
      if (left.parts <= 0 || left.characters <= 0) {
        result[cutMark(all.length - index, 'more')] = true
        break
      }
      left.characters -= Math.min(name.length, longestName)
      const value: unknown = input[name as keyof typeof input]
      const { text: redacted, secret } = knownName(name)
      if (redacted !== name) {
        taken++
        names ??= new Set(Object.keys(result))
      }
      // Otherwise two names that are hidden entirely would become one, and one field would be lost.
      const shown = names ? freeName(redacted, names) : redacted
      names?.add(shown)
      const kind = name === 'value' ? (pairName ?? secret) : secret
      const copied = kind !== undefined && isHidden(kind, value) ? hide() : copyPart(value)
      if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true })
      else result[shown] = copied
    }
    return result
  }

  return {
    addSecret(value) {
      // The replacement contains this value, so hiding it would put it back.
      if (redactedText.includes(value)) return
      secrets.add(value)
      names = new Map()
    },
    value: (input) => within(recordBudget, input, 0),
    text: (input) => shortText(input, 0, longestSingleText),
    forPerson: (input) => showToPerson(input, secrets),
  }
}

/** How much a copy may hold. */
interface Budget {
  readonly longestText: number
  characters: number
  /** Fields and list items. */
  parts: number
}

const recordBudget: Budget = { longestText: 8 * 1024, characters: 32 * 1024, parts: 2_000 }
/** Long enough for the last output of a program. */
const longestSingleText = 128 * 1024
const unlimited: Budget = { longestText: Infinity, characters: Infinity, parts: Infinity }
/** Longer than any secret of one line. */
const overlap = 4 * 1024
const longestName = 1024

/** The start of every mark that says that something was cut. */
export const cutMarkStart = '[cut: '

function cutMark(count: number, unit: string): string {
  return `${cutMarkStart}${count} ${unit}]`
}

interface KnownName {
  readonly text: string
  readonly secret: SecretName | undefined
}

/** Names repeat in every payload, so each is checked once. The cache is bounded, because callers choose the names. */
const mostKnownNames = 2_000
const longestKnownName = 64

function findByContext(input: string): ReturnType<typeof findSecretsByContext> {
  const found = findSecretsByContext(input)
  if (!input.includes('%')) return found
  const undone = undoEncodings(input)
  return [...found, ...findSecretsByContext(undone.text).map((range) => undone.toOriginal(range))]
}

function parsedJson(input: string): unknown {
  if (!/^\s*["[{]/.test(input)) return undefined
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

/** In a list, a name may come before its value: "--token", "abc" of a command, or ["authorization", "Bearer abc"]. */
function copyList(list: readonly unknown[], copyPart: (part: unknown) => unknown, hide: () => string): unknown[] {
  return list.map((part, index) => {
    const before = list[index - 1]
    if (typeof part === 'string' && typeof before === 'string' && isSecretFlag(before)) {
      return part.startsWith('-') ? copyPart(part) : hide()
    }
    const pair: readonly unknown[] | undefined = Array.isArray(part) && part.length === 2 ? part : undefined
    const kind = typeof pair?.[0] === 'string' ? secretName(pair[0]) : undefined
    return pair !== undefined && kind !== undefined && isHidden(kind, pair[1])
      ? [copyPart(pair[0]), hide()]
      : copyPart(part)
  })
}

function isSecretFlag(text: string): boolean {
  return /^--?[\w-]+$/.test(text) && secretName(text) !== undefined
}

/** `{ "name": "API_KEY", "value": "…" }`, as headers and variables are often written. */
function nameOfPair(input: object): SecretName | undefined {
  if (!('value' in input)) return undefined
  const name = 'name' in input ? input.name : 'key' in input ? input.key : undefined
  return typeof name === 'string' ? secretName(name) : undefined
}

/** Turns objects that JSON cannot hold into data that it can. */
function toPlain(input: object): unknown {
  if (input instanceof Error) return partsOf(input)
  if (isRawNumber(input)) return input.rawJSON
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) return `[${input.byteLength} bytes]`
  if (input instanceof Map) return Object.fromEntries([...input].map(([name, value]) => [String(name), value]))
  if (input instanceof Set) return [...input]
  if ('toJSON' in input && typeof input.toJSON === 'function') return input.toJSON()
  return input
}

/** The useful fields of an error are not enumerable, so they are copied by name. */
function partsOf(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    ...Object.fromEntries(Object.entries(error)),
    ...(error instanceof AggregateError ? { errors: error.errors as unknown } : {}),
    ...(cause === undefined ? {} : { cause }),
  }
}
