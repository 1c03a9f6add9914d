/**
 * Finds secrets that are written out in a connector instead of as `${VAR}`. It recognises them by their key, by the
 * text before them (`--token …`, `Bearer …`, `?api_key=…`, `https://user:…@`), and by their shape. Saving refuses them;
 * importing replaces them with references.
 */
import { isHidden, secretName } from '../../base/redact-names.ts'
import { findSecretsByContext } from '../../base/redact-text.ts'
import type { TextRange } from '../../base/text-ranges.ts'
import { maskReferences, referencesIn } from './references.ts'
import { findShapes } from './secret-shapes.ts'

/** `name` is the key that the text belongs to, such as the name of a header. */
export function findLiteralSecrets(text: string, name?: string): readonly TextRange[] {
  const masked = maskReferences(text)
  const found = [
    ...(name !== undefined && isSecretUnder(name, masked) ? [{ start: 0, end: masked.length }] : []),
    ...findSecretsByContext(masked)
      .map((range) => withoutUser(masked, range))
      .filter((range) => isMeant(masked, range)),
    ...findShapes(masked),
  ]
  return joined([...inDefaults(text, name), ...found.flatMap((range) => literalParts(masked, range))])
}

function inDefaults(text: string, name: string | undefined): readonly TextRange[] {
  return referencesIn(text).flatMap(({ fallback = '', end }) => {
    const offset = end - 1 - fallback.length
    return findLiteralSecrets(fallback, name).map((range) => ({ start: offset + range.start, end: offset + range.end }))
  })
}

/** In a list of arguments, a flag names the next one: "--api-key", "abc". */
export function nameBefore(list: readonly string[], index: number): string | undefined {
  const before = list[index - 1]
  return before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before) ? before.replace(/^-+/, '') : undefined
}

function isSecretUnder(name: string, masked: string): boolean {
  const kind = secretName(name)
  if (kind === undefined || saysNothing.test(masked.trim()) || isPath.test(masked)) return false
  return isHidden(kind, /^\d+$/.test(masked) ? Number(masked) : masked)
}

const saysNothing = /^(?:true|false|null|none|)$/i
/** GOOGLE_APPLICATION_CREDENTIALS and similar variables hold the path of a secret, not the secret. */
const isPath = /^(?:~|\.{1,2}|\{workspace\})?(?:\/[\w.@+ -]+){2,}$/

/** Prose such as "API key: see the wiki" contains no secret. */
function isMeant(text: string, { start, end }: TextRange): boolean {
  const value = text.slice(start, end)
  return !/\s/.test(text) || value.includes('\0') || (value.length >= 6 && /\d|[a-z][A-Z]/.test(value))
}

/**
 * In a URL with `user:password`, only the password is secret. A user without a password is a token, so all of it is.
 */
function withoutUser(text: string, { start, end }: TextRange): TextRange {
  const colon = text.slice(0, start).endsWith('://') ? text.slice(start, end).indexOf(':') : -1
  return colon < 0 ? { start, end } : { start: start + colon + 1, end }
}

/** The parts of a range that remain without references, the scheme before them and the spaces around them. */
function literalParts(masked: string, { start, end }: TextRange): TextRange[] {
  const text = masked.slice(start, end)
  const hasReference = text.includes('\0')
  return [...text.matchAll(/[^\0]+/g)].flatMap((part) => {
    const scheme = /^(?:\s*(?:bearer|basic|digest|token)\s+)?\s*/i.exec(part[0])![0].length
    const literal = part[0].slice(scheme).trimEnd()
    // "session=${COOKIE}; theme=dark" is a reference with harmless text around it.
    if (literal === '' || /^(?:bearer|basic|digest|token)$/i.test(literal) || (hasReference && !isRandom(literal))) {
      return []
    }
    const from = start + part.index + scheme
    return [{ start: from, end: from + literal.length }]
  })
}

function isRandom(text: string): boolean {
  return text.split(/[\s;,=&:/?@"']+/).some((word) => word.length >= 16 && /\d/.test(word) && /[A-Za-z]/.test(word))
}

function joined(ranges: readonly TextRange[]): readonly TextRange[] {
  const result: TextRange[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    if (last && range.start < last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else result.push(range)
  }
  return result
}
