/** Lines as programs print them: rows that were wrapped are one again, and every index knows its row and column. */
import type { TextRow } from './screen.ts'

export interface WrappedLine {
  readonly text: string
  /** Of the character at `index`. */
  placeOf(index: number): Place
  /** Behind the character before `index`: at the end of its row, where that is the last of the row. */
  placeBehind(index: number): Place
  /** The index at which a row begins. */
  startOf(row: number): number
}

export interface Place {
  /** An index of the rows that were joined. */
  readonly row: number
  readonly column: number
}

/** A line may be as long as all that is kept; nobody looks for something that long. */
const maxLineLength = 16 * 1024

export function joinWrapped(rows: readonly TextRow[]): readonly WrappedLine[] {
  const lines: WrappedLine[] = []
  for (let first = 0; first < rows.length;) {
    const starts = [0]
    let text = ''
    let next = first + 1
    for (; rows[next]?.isWrapped && text.length < maxLineLength; next++) {
      text += rows[next - 1]!.printedText
      starts.push(text.length)
    }
    text += rows[next - 1]!.text
    lines.push(createLine(rows, first, text, starts))
    first = next
  }
  return lines
}

function createLine(rows: readonly TextRow[], first: number, text: string, starts: readonly number[]): WrappedLine {
  function placeOf(index: number): Place {
    const part = starts.findLastIndex((start) => start <= index)
    return { row: first + part, column: rows[first + part]!.columnOf(index - starts[part]!) }
  }
  return {
    text,
    placeOf,
    placeBehind(index) {
      if (index === 0) return placeOf(0)
      const part = starts.findLastIndex((start) => start < index)
      return { row: first + part, column: rows[first + part]!.columnOf(index - starts[part]!) }
    },
    startOf: (row) => starts[row - first]!,
  }
}
