/** A row of which only the text is kept. */
import { columnsOf } from '../emulator/character-width.ts'
import type { TextRow } from '../screen/screen-rows.ts'

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
