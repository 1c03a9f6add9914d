/** Looking for a pattern in lines as long as there is time. */
import type { Match, Pattern } from './patterns.ts'
import type { ScreenRow } from './screen.ts'
import type { WrappedLine } from './wrapped-lines.ts'
import { joinWrapped } from './wrapped-lines.ts'

export interface SearchOptions {
  readonly maxResults: number
  readonly timeLimitMs: number
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[]
  /** Why it stopped before all lines were seen. */
  readonly stoppedBy?: 'results' | 'time'
}

export interface SearchMatch {
  /** The row, of those searched, in which the match begins, and the one in which it ends: a wrapped line is one line. */
  readonly row: number
  readonly endRow: number
  /** The text of these rows. */
  readonly text: string
  /** In `row`, and behind the match in `endRow`. */
  readonly startColumn: number
  readonly endColumn: number
  /** `text.slice(start, end)` is what matched. */
  readonly start: number
  readonly end: number
}

/** The first match of each line, newest first. */
export function searchRows(rows: readonly ScreenRow[], pattern: Pattern, options: SearchOptions): SearchResult {
  const until = performance.now() + options.timeLimitMs
  const matches: SearchMatch[] = []
  for (const line of joinWrapped(rows).toReversed()) {
    if (performance.now() > until) return { matches, stoppedBy: 'time' }
    const match = pattern.matchesIn(line.text).next().value
    if (!match) continue
    if (matches.length >= options.maxResults) return { matches, stoppedBy: 'results' }
    matches.push(describeMatch(rows, line, match))
  }
  return { matches }
}

function describeMatch(rows: readonly ScreenRow[], line: WrappedLine, { start, end }: Match): SearchMatch {
  const from = line.placeOf(start)
  const to = line.placeBehind(end)
  const before = rows.slice(from.row, to.row).map((row) => row.printedText)
  const offset = line.startOf(from.row)
  return {
    row: from.row,
    endRow: to.row,
    text: before.join('') + rows[to.row]!.text,
    startColumn: from.column,
    endColumn: to.column,
    start: start - offset,
    end: end - offset,
  }
}
