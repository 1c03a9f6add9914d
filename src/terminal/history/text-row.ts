/** A row of which nothing but its text is kept. */
import { columnsOf } from '../emulator/character-width.ts'
import type { TextRow } from '../screen.ts'

export type PrintedRow = Pick<TextRow, 'printedText' | 'isWrapped'>

export function createTextRow({ printedText, isWrapped }: PrintedRow): TextRow {
  let columns: Uint16Array | undefined
  return {
    text: printedText.trimEnd(),
    printedText,
    isWrapped,
    columnOf(index) {
      columns ??= columnsOf(printedText)
      return columns[Math.min(Math.max(index, 0), printedText.length)]!
    },
  }
}
