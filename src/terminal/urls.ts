/** The URLs on a screen: in its text, also across rows, and attached to text (OSC 8). */
import type { Match } from '../base/pattern.ts'
import type { UntrustedPattern } from './untrusted-pattern.ts'
import { type Place, type WrappedLine, joinWrapped } from './screen/wrapped-lines.ts'
import type { ScreenRow } from './screen/screen-rows.ts'

export interface FoundUrl {
  readonly url: string
  readonly row: number
  readonly startColumn: number
  /** The URL ends in this row, before this column. */
  readonly endRow: number
  readonly endColumn: number
}

/** From top to bottom. A given pattern replaces the default one, and its matches are not trimmed. */
export async function findUrls(rows: readonly ScreenRow[], pattern?: UntrustedPattern): Promise<readonly FoundUrl[]> {
  const links = linksIn(rows)
  const lines = joinWrapped(rows)
  // The screen may change while the pattern is matched, so each row computes its columns before that.
  if (pattern) for (const row of rows) row.columnOf(0)
  const matches = await pattern?.matchesIn([...links.map(({ url }) => url), ...lines.map(({ text }) => text)])
  const attached = links.filter((_link, index) => matches?.[index]?.length !== 0)
  const written = lines.flatMap((line, index) => [
    ...urlsIn(line, matches?.[links.length + index] ?? usualMatches(line.text)),
  ])
  // A URL in the text that links to itself counts once.
  const others = written.filter((one) => !attached.some((other) => one.url === other.url && isOverlapping(one, other)))
  return [...attached, ...others].sort((a, b) => compare(startOf(a), startOf(b)))
}

function* urlsIn(line: WrappedLine, matches: Iterable<Match>): Generator<FoundUrl> {
  for (const { start, end } of matches) {
    const from = line.placeOf(start)
    const to = line.placeAfter(end)
    yield {
      url: line.text.slice(start, end),
      row: from.row,
      startColumn: from.column,
      endRow: to.row,
      endColumn: to.column,
    }
  }
}

function* usualMatches(text: string): Generator<Match> {
  for (const { index, 0: found } of text.matchAll(usualUrl)) {
    const end = index + withoutPunctuation(found).length
    yield { start: index, end }
  }
}

/** Ends at a blank, a quote, a bracket that is not part of URLs, East Asian punctuation, or a box drawing character. */
const usualUrl =
  /\b(?:https?|ftp|file):\/\/[^\s<>"'`{}|\\^\u2018-\u201f\u2500-\u259f\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/giu

/** Punctuation at the end of a sentence is not part of the URL, nor is a bracket that was opened before it. */
function withoutPunctuation(url: string): string {
  const closed = new Map(
    ['()', '[]'].map(([open, close]) => [close!, url.split(close!).length - url.split(open!).length]),
  )
  let end = url.length
  for (; end > 0; end--) {
    const last = url[end - 1]!
    const surplus = closed.get(last) ?? 0
    if (surplus <= 0 && !'.,;:!?*'.includes(last)) break
    closed.set(last, surplus - 1)
  }
  return url.slice(0, end)
}

/** Joins neighbouring pieces of one link, also across wrapped rows. */
function linksIn(rows: readonly ScreenRow[]): readonly FoundUrl[] {
  const links: FoundUrl[] = []
  for (const [row, screenRow] of rows.entries()) {
    for (const { column, width, style } of screenRow.runs()) {
      if (style.link === undefined) continue
      const last = links.at(-1)
      const isContinued = last?.url === style.link && isNext(last, { row, column }, screenRow.isWrapped)
      const end = { endRow: row, endColumn: column + width }
      if (isContinued) links[links.length - 1] = { ...last, ...end }
      else links.push({ url: style.link, row, startColumn: column, ...end })
    }
  }
  return links
}

function isNext({ endRow, endColumn }: FoundUrl, { row, column }: Place, isWrapped: boolean): boolean {
  return endRow === row ? endColumn === column : isWrapped && endRow === row - 1 && column === 0
}

function isOverlapping(one: FoundUrl, other: FoundUrl): boolean {
  return compare(startOf(one), endOf(other)) < 0 && compare(startOf(other), endOf(one)) < 0
}

function startOf({ row, startColumn }: FoundUrl): Place {
  return { row, column: startColumn }
}

function endOf({ endRow, endColumn }: FoundUrl): Place {
  return { row: endRow, column: endColumn }
}

function compare(one: Place, other: Place): number {
  return one.row - other.row || one.column - other.column
}
