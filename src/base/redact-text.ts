/**
 * Finds secrets in a text by their context: after a secret name ("token=…", "Authorization: …", `"api_key": "…"` at
 * any depth of escaping), as the user part of a URL, or by their shape (the hub's own tokens, "Bearer …").
 *
 * It takes one pass. An expression finds where a secret may begin. Small scanners without backtracking find its end.
 */
import { secretName } from './redact-names.ts'
import type { SecretName } from './redact-names.ts'
import type { TextRange } from './text-ranges.ts'

const suspectPattern =
  /key|token|secret|passw(?:or)?d|authorization|cookie|credential|sb_(?:human|agent|login)_|bearer[ \t]|basic[ \t]|:\/\/[^\s/?#"'<>]*@|%(?:25){0,4}40/gi

export function mayHideSecrets(text: string): boolean {
  suspectPattern.lastIndex = 0
  return suspectPattern.test(text)
}

export function findSecretsByContext(text: string): TextRange[] {
  const found: TextRange[] = []
  suspectPattern.lastIndex = 0
  for (let suspect = suspectPattern.exec(text); suspect !== null; suspect = suspectPattern.exec(text)) {
    const range = secretAt(text, { start: suspect.index, end: suspectPattern.lastIndex })
    if (range === undefined || range.end <= range.start) continue
    found.push(range)
    suspectPattern.lastIndex = Math.max(suspectPattern.lastIndex, range.end)
  }
  return found
}

function secretAt(text: string, suspect: TextRange): TextRange | undefined {
  const word = text.slice(suspect.start, suspect.end)
  // This may end the user part of an encoded URL. The search in the decoded text finds that.
  if (word.startsWith('%')) return undefined
  if (word.startsWith('://')) return { start: suspect.start + 3, end: suspect.end - 1 }
  if (word.startsWith('sb_')) return ownToken(text, suspect)
  if (/^b/i.test(word)) return afterScheme(text, suspect.end)
  return afterName(text, suspect)
}

/** The hub's own tokens and login codes, by their shape alone. */
export function findOwnTokens(text: string): TextRange[] {
  return [...text.matchAll(/sb_(?:human|agent|login)_[A-Za-z0-9_-]*/gi)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }))
}

function ownToken(text: string, suspect: TextRange): TextRange {
  return { start: suspect.start, end: endOf(text, suspect.end, /[A-Za-z0-9_-]*/y) }
}

/** "Bearer abc123": prose such as "bearer authentication" has neither digits nor capitals inside. */
function afterScheme(text: string, start: number): TextRange | undefined {
  const end = endOf(text, start, /[\w.~+/=-]*/y)
  return end - start >= 8 && /\d|=|[a-z][A-Z]/.test(text.slice(start, end)) ? { start, end } : undefined
}

/** The rest of the name, closing quotes or brackets, then ":" or "=", plain or percent-encoded. */
const separatorPattern =
  /s?\d{0,8}(?:\\{0,31}["'`])?\]?[ \t]{0,8}(?:%(?:25){0,4}(?:3a|3d)|=>|:=|=(?!=)|:(?!:|\/\/))[ \t]{0,8}/iy
const flagValue = /s?\d{0,8}[ \t]{1,8}(?=[^\s-])/iy
const pluralEnding = /s?\d{0,8}/iy

function afterName(text: string, suspect: TextRange): TextRange | undefined {
  const separated = endIfMatches(text, suspect.end, separatorPattern)
  const start = separated ?? endIfMatches(text, suspect.end, flagValue)
  if (start === undefined) return undefined
  const nameStart = startOfName(text, suspect.start)
  if (separated === undefined && !text.startsWith('--', nameStart)) return undefined
  const nameEnd = endOf(text, suspect.end, pluralEnding)
  const name = text.slice(nameStart, nameEnd)
  const kind = secretName(name)
  return kind === undefined ? undefined : valueAt(text, { start, kind, name, nameStart, nameEnd })
}

/** Longer than any real name. Bounded, so that a long run of letters does not take quadratic time. */
const longestName = 80

function startOfName(text: string, end: number): number {
  let start = end
  while (start > 0 && end - start < longestName && /[\w-]/.test(text[start - 1]!)) start--
  return start
}

interface Named {
  readonly start: number
  readonly kind: SecretName
  readonly name: string
  readonly nameStart: number
  readonly nameEnd: number
}

function valueAt(text: string, named: Named): TextRange | undefined {
  const quoted = /[\s]{0,64}(\\{0,31})(["'`])/y
  quoted.lastIndex = named.start
  const quote = quoted.exec(text)
  if (quote !== null) {
    const start = quoted.lastIndex
    return { start, end: endOfQuoted(text, start, quote[1]!.length, quote[2]!) }
  }
  const start = endOf(text, named.start, /\s{0,64}(?=[[{])/y)
  if (text[start] === '{' || text[start] === '[') return { start, end: endOfBrackets(text, start) }
  return bareValue(text, named)
}

/**
 * The closing quote follows as many backslashes as the opening one, not counting whole pairs of the level above: at
 * depth n a quote takes 2ⁿ−1 of them, and a backslash 2ⁿ⁺¹.
 */
function endOfQuoted(text: string, start: number, depth: number, quote: string): number {
  for (let end = text.indexOf(quote, start); end !== -1; end = text.indexOf(quote, end + 1)) {
    const backslashes = backslashesBefore(text, end, start)
    if (backslashes < depth || backslashes % (2 * (depth + 1)) === depth) return end - Math.min(backslashes, depth)
  }
  return text.length
}

function backslashesBefore(text: string, index: number, floor: number): number {
  let start = index
  while (start > floor && text[start - 1] === '\\') start--
  return index - start
}

/** The end of the bracket that closes the first one, ignoring brackets in quotes; the end of the text if none does. */
function endOfBrackets(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const character = text[index]!
    if (character === '"') {
      const backslashes = backslashesBefore(text, index, start)
      index = endOfQuoted(text, index + 1, backslashes, '"')
      index = text.indexOf('"', index)
      if (index === -1) return text.length
    } else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return index + 1
  }
  return text.length
}

const emptyValue = /^(?:true|false|null|undefined|none)$/i

function bareValue(text: string, { start, kind, name, nameStart, nameEnd }: Named): TextRange | undefined {
  let end = endOfWord(text, start)
  const word = text.slice(start, end)
  const isCount = kind === 'several' && /^\d+(?:\.\d+)?$/.test(word)
  if (word === '' || isCount || emptyValue.test(word)) return undefined
  const isHeader = text[nameEnd] === ':' && beginsLine(text, nameStart)
  if (isHeader || /(?:authorization|cookie)s?$/i.test(name)) end = endOfHeader(text, start, { nameStart, nameEnd })
  else if (/^(?:bearer|basic|digest|token)$/i.test(word)) end = endOfWord(text, end + 1)
  return { start, end }
}

/** The end of the line, of the quotes that opened right before the name, or of the query parameter. */
function endOfHeader(text: string, start: number, name: { nameStart: number; nameEnd: number }): number {
  const quote = text[name.nameStart - 1]
  const isQuoted = quote === '"' || quote === "'" || quote === '`'
  const depth = isQuoted ? backslashesBefore(text, name.nameStart - 1, 0) : 0
  const rest = text.slice(start, isQuoted ? endOfQuoted(text, start, depth, quote) : text.length)
  return start + endOf(rest, 0, text[name.nameEnd] === '=' ? /[^\r\n&]*/y : /[^\r\n]*/y)
}

/** The next blank or quote. Closing punctuation and an escaped quote are not part of the word. */
function endOfWord(text: string, start: number): number {
  let end = start
  if (end < text.length && /[<>;]/.test(text[end]!)) end++
  while (end < text.length && !/[\s"'`<>&;]/.test(text[end]!)) end++
  while (end > start && /[,.)\]}\\]/.test(text[end - 1]!)) end--
  return end
}

/** Whether the line starts here, after blanks and the marks that programs print before headers ("> ", "* ", "- "). */
function beginsLine(text: string, index: number): boolean {
  let start = index
  while (start > 0 && index - start < longestName && /[ \t<>*-]/.test(text[start - 1]!)) start--
  return start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r'
}

function endOf(text: string, start: number, expression: RegExp): number {
  return endIfMatches(text, start, expression) ?? start
}

function endIfMatches(text: string, start: number, expression: RegExp): number | undefined {
  expression.lastIndex = start
  return expression.test(text) ? expression.lastIndex : undefined
}
