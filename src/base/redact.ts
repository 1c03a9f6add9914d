/**
 * The one place where secrets are taken out, before anything is stored, logged or shown: by name (redact-names), by where
 * and how they stand in a text (redact-text), and by value, for those the process itself resolved (redact-values).
 *
 * The result is plain JSON data, safe to serialise: no cycle, no class, bounded depth.
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
  /** From now on this value is found wherever it stands. Values shorter than six characters are ignored. */
  addSecret(value: string): void
  /** A deep copy without secrets. */
  value(input: unknown): unknown
  text(input: string): string
  /** Of what a person decides about: only what is certainly a secret is hidden, and what was is told. */
  forPerson(input: unknown): ShownToPerson
}

export function createRedactor(): Redactor {
  const secrets = createSecretValues()
  // The hub's own tokens are known by their shape, which base64 hides.
  secrets.addInsideBase64('sb_human_')
  secrets.addInsideBase64('sb_agent_')
  let names = new Map<string, KnownName>()
  let taken = 0

  const hide = (): string => {
    taken++
    return redactedText
  }

  const knownName = (name: string): KnownName => {
    const known = names.get(name)
    if (known !== undefined) return known
    const fresh = { text: text(name, 0), secret: secretName(name) }
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
    const redacted = parsed === undefined ? undefined : JSON.stringify(copy(parsed, depth + 1, []))
    if (redacted !== undefined && taken > before) return redacted
    // Judged as text too: of two equal names in one object, parsing keeps only the last.
    const byContext = isSuspect ? findByContext(withoutValues) : []
    return byContext.length === 0 ? withoutValues : replaceRanges(withoutValues, byContext, hide())
  }

  const copy = (input: unknown, depth: number, ancestors: readonly object[]): unknown => {
    switch (typeof input) {
      case 'string':
        return text(input, depth)
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
    const within = [...ancestors, input]
    const copyPart = (part: unknown): unknown => copy(part, depth + 1, within)
    try {
      const plain = toPlain(input)
      if (typeof plain !== 'object' || plain === null) return copyPart(plain)
      return Array.isArray(plain) ? copyList(plain, copyPart, hide) : copyFields(plain, copyPart)
    } catch {
      // A getter or toJSON that throws must not take the record down with it.
      return '[unreadable]'
    }
  }

  const copyFields = (input: object, copyPart: (part: unknown) => unknown): object => {
    const result: Record<string, unknown> = {}
    const pairName = nameOfPair(input)
    let names: Set<string> | undefined
    for (const name of Object.keys(input)) {
      const value: unknown = input[name as keyof typeof input]
      const { text: redacted, secret } = knownName(name)
      if (redacted !== name) {
        taken++
        names ??= new Set(Object.keys(result))
      }
      // Else two names that are nothing but secrets would become one, and one field would be lost.
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
      // Hiding it would only put it back.
      if (redactedText.includes(value)) return
      secrets.add(value)
      names = new Map()
    },
    value: (input) => copy(input, 0, []),
    text: (input) => text(input, 0),
    forPerson: (input) => showToPerson(input, secrets),
  }
}

interface KnownName {
  readonly text: string
  readonly secret: SecretName | undefined
}

/** Names repeat in every payload, so judging each once is enough; bounded, since callers choose them. */
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

/** In a list, a name may stand before its value: "--token", "abc" of a command, or ["authorization", "Bearer abc"]. */
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

/** What JSON cannot hold, as data it can. */
function toPlain(input: object): unknown {
  if (input instanceof Error) return partsOf(input)
  if (isRawNumber(input)) return input.rawJSON
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) return `[${input.byteLength} bytes]`
  if (input instanceof Map) return Object.fromEntries([...input].map(([name, value]) => [String(name), value]))
  if (input instanceof Set) return [...input]
  if ('toJSON' in input && typeof input.toJSON === 'function') return input.toJSON()
  return input
}

/** What an error holds besides its enumerable fields is what one wants to read. */
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
