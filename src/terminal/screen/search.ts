/** Searches lines for a pattern, within a time limit. */
import type { Match, Pattern } from '../../base/pattern.ts'
import type { TextRow } from './screen-rows.ts'
import type { WrappedLine } from './wrapped-lines.ts'
import { joinWrapped } from './wrapped-lines.ts'

export interface SearchOptions {
  readonly maxResults: number
  readonly timeLimitMs: number
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[]
  /** Why it stopped before the end. */
  readonly stoppedBy?: 'results' | 'time'
}

export interface SearchMatch {
  /** The searched rows in which the match begins and ends: they differ in a wrapped line. */
  readonly row: number
  readonly endRow: number
  /** The text of these rows. */
  readonly text: string
  /** The column of the match in `row`, and the column after it in `endRow`. */
  readonly startColumn: number
  readonly endColumn: number
  /** `text.slice(start, end)` is the match. */
  readonly start: number
  readonly end: number
}

/** An array of rows, or an object that reads them as needed. */
export interface Rows {
  readonly length: number
  slice(start: number, end: number): readonly TextRow[]
}

/** The first match of each line, newest first. */
export function searchRows(rows: Rows, pattern: Pattern, options: SearchOptions): SearchResult {
  const until = performance.now() + options.timeLimitMs
  const matches: SearchMatch[] = []
  for (const { first, block } of blocksFromTheEnd(rows)) {
    for (const line of joinWrapped(block).toReversed()) {
      if (performance.now() > until) return { matches, stoppedBy: 'time' }
      const match = pattern.matchesIn(line.text).next().value
      if (!match) continue
      if (matches.length >= options.maxResults) return { matches, stoppedBy: 'results' }
      matches.push(describeMatch(block, first, line, match))
    }
  }
  return { matches }
}

interface Block {
  readonly first: number
  readonly block: readonly TextRow[]
}

const blockRows = 1000

/** Yields blocks from the end, since the last rows may have enough matches. Splits only lines longer than a block. */
function* blocksFromTheEnd(rows: Rows): Generator<Block> {
  for (let end = rows.length; end > 0;) {
    const start = Math.max(0, end - blockRows)
    const block = rows.slice(start, end)
    const whole =
      start === 0
        ? 0
        : Math.max(
            0,
            block.findIndex(({ isWrapped }) => !isWrapped),
          )
    yield { first: start + whole, block: block.slice(whole) }
    end = start + whole
  }
}

function describeMatch(
  block: readonly TextRow[],
  first: number,
  line: WrappedLine,
  { start, end }: Match,
): SearchMatch {
  const from = line.placeOf(start)
  const to = line.placeAfter(end)
  const before = block.slice(from.row, to.row).map((row) => row.printedText)
  const offset = line.startOf(from.row)
  return {
    row: first + from.row,
    endRow: first + to.row,
    text: before.join('') + block[to.row]!.text,
    startColumn: from.column,
    endColumn: to.column,
    start: start - offset,
    end: end - offset,
  }
}
