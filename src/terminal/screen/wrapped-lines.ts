/** Lines as programs print them: wrapped rows are joined, and every index maps to its row and column. */
import type { TextRow } from './screen-rows.ts'

export interface WrappedLine {
  readonly text: string
  /** The place of the character at `index`. */
  placeOf(index: number): Place
  /** The place after the character before `index`: the end of its row, if it is the last character of the row. */
  placeAfter(index: number): Place
  /** The index of the first character of a row. */
  startOf(row: number): number
}

export interface Place {
  /** An index of the joined rows. */
  readonly row: number
  readonly column: number
}

/** A line may be as long as the whole scrollback, but a match that long is of no use. */
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
    placeAfter(index) {
      if (index === 0) return placeOf(0)
      const part = starts.findLastIndex((start) => start < index)
      return { row: first + part, column: rows[first + part]!.columnOf(index - starts[part]!) }
    },
    startOf: (row) => starts[row - first]!,
  }
}
