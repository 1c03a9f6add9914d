/** Looking for a pattern in lines as long as there is time. */
import type { Match, Pattern } from './patterns.ts'
import type { TextRow } from './screen.ts'
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
export function searchRows(rows: readonly TextRow[], pattern: Pattern, options: SearchOptions): SearchResult {
  const until = performance.now() + options.timeLimitMs
  const matches: SearchMatch[] = []
  for (const line of linesFromTheEnd(rows)) {
    if (performance.now() > until) return { matches, stoppedBy: 'time' }
    const match = pattern.matchesIn(line.text).next().value
    if (!match) continue
    if (matches.length >= options.maxResults) return { matches, stoppedBy: 'results' }
    matches.push(describeMatch(rows, line, match))
  }
  return { matches }
}

/** Joined a block at a time: there may be very many, and enough be found in the last. */
function* linesFromTheEnd(rows: readonly TextRow[]): Generator<WrappedLine> {
  for (let end = rows.length; end > 0;) {
    let start = Math.max(0, end - blockRows)
    while (start > 0 && rows[start]!.isWrapped) start--
    yield* joinWrapped(rows, start, end).toReversed()
    end = start
  }
}

const blockRows = 1000

function describeMatch(rows: readonly TextRow[], line: WrappedLine, { start, end }: Match): SearchMatch {
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
