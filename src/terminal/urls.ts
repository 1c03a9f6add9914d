/** The addresses on a screen: written out, also over the end of a row, and attached to text (OSC 8). */
import type { Match, Pattern } from './patterns.ts'
import type { ScreenRow } from './screen.ts'
import type { Place, WrappedLine } from './wrapped-lines.ts'
import { joinWrapped } from './wrapped-lines.ts'

export interface FoundUrl {
  readonly url: string
  readonly row: number
  readonly startColumn: number
  /** It ends in this row, before this column. */
  readonly endRow: number
  readonly endColumn: number
}

/** From top to bottom. A pattern of one's own replaces the usual one, and what it matches stays as it is. */
export function findUrls(rows: readonly ScreenRow[], pattern?: Pattern): readonly FoundUrl[] {
  const attached = linksIn(rows).filter(({ url }) => !pattern || pattern.test(url))
  const written = joinWrapped(rows).flatMap((line) => [...urlsIn(line, pattern)])
  // One that is written out and leads where it says is one.
  const others = written.filter((one) => !attached.some((other) => one.url === other.url && isOverlapping(one, other)))
  return [...attached, ...others].sort((a, b) => compare(startOf(a), startOf(b)))
}

function* urlsIn(line: WrappedLine, pattern: Pattern | undefined): Generator<FoundUrl> {
  for (const { start, end } of pattern ? pattern.matchesIn(line.text) : usualMatches(line.text)) {
    const from = line.placeOf(start)
    const to = line.placeBehind(end)
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

/** Up to a blank, a quote, a bracket of no address, a full stop of the East, or the frame of a box. */
const usualUrl =
  /\b(?:https?|ftp|file):\/\/[^\s<>"'`{}|\\^\u2018-\u201f\u2500-\u259f\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/giu

/** What ends a sentence is no part of the address, nor is a bracket that was opened before it. */
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

/** Neighbouring pieces of one link, also from one row to a wrapped one, are one. */
function linksIn(rows: readonly ScreenRow[]): readonly FoundUrl[] {
  const links: FoundUrl[] = []
  for (const [row, screenRow] of rows.entries()) {
    for (const { column, width, look } of screenRow.runs()) {
      if (look.link === undefined) continue
      const last = links.at(-1)
      const goesOn = last?.url === look.link && isNext(last, { row, column }, screenRow.isWrapped)
      const end = { endRow: row, endColumn: column + width }
      if (goesOn) links[links.length - 1] = { ...last, ...end }
      else links.push({ url: look.link, row, startColumn: column, ...end })
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
