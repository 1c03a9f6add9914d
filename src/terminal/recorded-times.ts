/** The times at which a program printed its output, from the index of its journal. Reads only the segments it needs. */
import type { JournalEntry } from './journal/journal-files.ts'
import { listSegments } from './journal/journal-files.ts'
import { journalBounds, readIndex, segmentBegin } from './journal/journal.ts'
import type { Size } from './pty/size.ts'

/** In milliseconds since 1970. */
export interface RecordedSpan {
  readonly from: number
  readonly to: number
}

/** The output from `offset` on was printed at this time. */
export interface RecordedTime {
  readonly at: number
  readonly offset: number
  /** Set if the terminal had another size from here on. */
  readonly size?: Size
}

export interface RecordedTimes {
  /** `undefined`: nothing was recorded. */
  span(): RecordedSpan | undefined
  /** Everything before this offset was printed by then. */
  offsetAt(at: number): number
  /** The first is the time of `from` itself. */
  between(from: number, to: number): readonly RecordedTime[]
}

const kinds = ['begin', 'output', 'resize', 'exit'] as const
type Timed = Extract<JournalEntry, { is: (typeof kinds)[number] }>

export function readRecordedTimes(journal: string): RecordedTimes {
  const entriesOf = (start: number): readonly Timed[] => readIndex(journal, start, kinds)

  return {
    span() {
      const starts = listSegments(journal)
      const from = starts.map((start) => segmentBegin(journal, start)).find((at) => at !== undefined)
      const to = starts.at(-1) === undefined ? undefined : entriesOf(starts.at(-1)!).at(-1)?.at
      return from === undefined ? undefined : { from, to: Math.max(from, to ?? from) }
    },
    offsetAt(at) {
      const starts = listSegments(journal)
      const index = starts.findLastIndex((start) => (segmentBegin(journal, start) ?? Infinity) <= at)
      if (index < 0) return starts[0] ?? 0
      const later = entriesOf(starts[index]!).find((entry) => entry.at > at)
      return later?.offset ?? starts[index + 1] ?? journalBounds(journal).offset
    },
    between(from, to) {
      const starts = listSegments(journal)
      const first = Math.max(
        0,
        starts.findLastIndex((start) => start <= from),
      )
      const entries = starts
        .slice(first)
        .filter((start, index) => index === 0 || start < to)
        .flatMap(entriesOf)
      const before = entries.findLast(({ offset }) => offset <= from)
      const inside = entries.filter(({ offset }) => offset > from && offset < to)
      return [...(before ? [{ at: before.at, offset: from }] : []), ...inside.map(toTime)]
    },
  }
}

function toTime(entry: Timed): RecordedTime {
  const size = 'cols' in entry && { size: { cols: entry.cols, rows: entry.rows } }
  return { at: entry.at, offset: entry.offset, ...size }
}
