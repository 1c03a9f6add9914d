/** Finds lines by a regular expression. The engine takes time in proportion to the text, and a limit ends it. */
import type { DatabaseSync } from 'node:sqlite'
import { cpuMs } from '../../base/cpu-ms.ts'
import { HubError } from '../../base/hub-error.ts'
import type { Pattern } from '../../base/pattern.ts'
import { compilePattern } from '../../base/pattern.ts'
import { lineCount, lineStarts } from '../text/lines.ts'
import { penaltyOf } from './ranking.ts'
import type { Place } from './place.ts'
import type { PathFilter } from './scope.ts'

/** All of a large repository takes about a second if nothing narrows it down. */
const timeLimitMs = 5_000
/** A hit that spans more lines is cut: a pattern such as `(?s).*` matches a whole file. */
const maxLines = 50

export interface RegexSearch {
  readonly pattern: Pattern
  /** Text that every match contains. SQLite looks for it much faster than the pattern is matched. */
  readonly literal: string
}

export async function compileRegex(source: string): Promise<RegexSearch> {
  // `^` and `$` mean the ends of a line, as in grep.
  return { pattern: await compilePattern(`(?m)${source}`, { ignoreCase: false }), literal: literalOf(source) }
}

export function findMatches(
  database: DatabaseSync,
  { pattern, literal }: RegexSearch,
  limit: number,
  filter: PathFilter | undefined,
): readonly Place[] {
  const startedAt = cpuMs()
  const isLate = () => cpuMs() - startedAt > timeLimitMs
  const textOf = database.prepare('select text from document where id = ?')
  const found: Place[][] = []
  let count = 0
  for (const { path, document, score } of filesToSearch(database, literal, filter)) {
    const text = String(textOf.get(document)?.['text'])
    const places = placesIn(text, pattern, isLate, limit).map((lines) => ({
      document,
      path,
      ...lines,
      ...definitionAt(database, document, lines.startLine),
      score,
    }))
    if (places.length > 0) found.push(places)
    count += places.length
    if (count >= limit * 4) break
    if (!isLate()) continue
    // The text that was not searched may hold a match: an empty answer would be wrong.
    if (count === 0) throw tooSlow()
    break
  }
  return fairly(found, limit)
}

function tooSlow(): HubError {
  return new HubError(
    'invalid',
    'The pattern takes too long on this repository. Write one with a plain word in it, or limit it with "path".',
  )
}

/** Sources before tests and documents, and only those that contain the literal. */
function filesToSearch(database: DatabaseSync, literal: string, filter: PathFilter | undefined) {
  return database
    .prepare(
      `select file.path, file.document from file join document on document.id = file.document
        where ?1 = '' or instr(document.text, ?1) > 0`,
    )
    .all(literal)
    .map((row) => ({ path: String(row['path']), document: Number(row['document']) }))
    .filter(({ path }) => !filter || filter(path))
    .map((file) => ({ ...file, score: penaltyOf(file.path, new Set()) }))
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
}

interface Lines {
  readonly startLine: number
  readonly endLine: number
}

/** Line by line, because finding where a match begins takes far longer than finding whether there is one. */
function placesIn(text: string, pattern: Pattern, isLate: () => boolean, limit: number): Lines[] {
  // `$` stands before a line break of either kind.
  const hasMatch = pattern.test(text) || (text.includes('\r\n') && pattern.test(text.replaceAll('\r\n', '\n')))
  if (!hasMatch) return []
  const starts = lineStarts(text)
  const places: Lines[] = []
  for (let line = 1; line <= lineCount(starts) && places.length < limit; line++) {
    if (line % 1_000 === 0 && isLate()) return places
    if (pattern.test(text.slice(starts[line - 1], starts[line]).replace(/\r?\n$/, ''))) {
      places.push({ startLine: line, endLine: line })
    }
  }
  return places.length > 0 ? places : acrossLines(text, starts, pattern, isLate, limit)
}

function acrossLines(
  text: string,
  starts: readonly number[],
  pattern: Pattern,
  isLate: () => boolean,
  limit: number,
): Lines[] {
  const places: Lines[] = []
  let line = 1
  for (const match of pattern.matchesIn(text)) {
    while (starts[line]! <= match.start) line++
    let endLine = line
    while (starts[endLine]! < match.end && endLine - line < maxLines - 1) endLine++
    places.push({ startLine: line, endLine })
    if (places.length >= limit || isLate()) break
  }
  return places
}

function definitionAt(database: DatabaseSync, document: number, line: number) {
  const found = database
    .prepare(
      `select symbol, kind from definition where document = ?1 and start_line <= ?2 and end_line >= ?2
        order by end_line - start_line limit 1`,
    )
    .get(document, line)
  return { symbol: found && String(found['symbol']), kind: found && String(found['kind']) }
}

/** Takes a few places of each file first, and fills up with the rest. */
function fairly(found: readonly (readonly Place[])[], limit: number): readonly Place[] {
  const share = Math.max(3, Math.ceil(limit / 4))
  const first = found.flatMap((places) => places.slice(0, share)).slice(0, limit)
  const more = found.flatMap((places) => places.slice(share)).slice(0, limit - first.length)
  const chosen = new Set([...first, ...more])
  return found.flat().filter((place) => chosen.has(place))
}

/** The longest plain text that every match contains; empty if there is none for sure. */
export function literalOf(source: string): string {
  // With a choice or with flags, a part need not be in the match as it is written.
  if (/\||\(\?/.test(source)) return ''
  const runs: string[] = []
  let run = ''
  let depth = 0
  const end = () => {
    runs.push(run)
    run = ''
  }
  for (const [token] of source.matchAll(tokens)) {
    if (/^([?*]|\{)/.test(token) && token !== '{') {
      run = run.slice(0, -1)
      end()
    } else if (token === '(' || token === ')') {
      end()
      depth += token === '(' ? 1 : -1
    } else if (token === '+' || /^(\[|\\[\w]|[.^$])/s.test(token)) {
      end()
    } else if (depth === 0) {
      run += token.startsWith('\\') ? token.slice(1) : token
    }
  }
  end()
  return runs.reduce((longest, each) => (each.length > longest.length ? each : longest), '')
}

/** An escape, a class, a repetition count, or one character. */
const tokens = /\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gs
