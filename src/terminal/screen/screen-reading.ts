/** Reads the lines and cells of a screen. */
import { HubError } from '../../base/hub-error.ts'
import type { Emulator } from '../emulator/emulator.ts'
import type { EmulatorBuffer } from '../emulator/internals.ts'
import type { Cursor } from './screen-modes.ts'
import { cursorShape } from './screen-modes.ts'
import type { Cell, Colouring, ScreenRow } from './screen-rows.ts'
import { createCell, createRow } from './screen-rows.ts'

export interface ScreenReading {
  /** The visible rows, top to bottom. */
  rows(): readonly ScreenRow[]
  /** The text of the visible rows, without empty rows at the end. */
  text(): string
  /** Lines that have scrolled off and are still in memory; 0 is the oldest. An alternate screen does not hide them. */
  scrollback(): readonly ScreenRow[]
  /** One of the visible rows. */
  row(index: number): ScreenRow
  cell(row: number, column: number): Cell
  cursor(): Cursor
}

/** `changes` counts the changes of the screen, so that a row can tell when it is out of date. */
export function createReading(emulator: Emulator, colouring: Colouring, changes: () => number): ScreenReading {
  const { internals } = emulator

  function rowsOf(buffer: EmulatorBuffer, start: number, end: number): readonly ScreenRow[] {
    const { cols } = emulator.size
    const readAt = changes()
    return Array.from({ length: end - start }, (_, index) => {
      const line = buffer.lines.get(start + index)!
      const lineNow = () => {
        if (changes() === readAt) return line
        throw new Error('This row is out of date: the screen has changed since it was read.')
      }
      return createRow(lineNow, cols, colouring)
    })
  }

  function lineOf(row: number): number {
    if (isWithin(row, emulator.size.rows)) return internals.buffers.active.ybase + row
    throw new HubError('invalid', `There is no row ${row}: the screen has rows 0 to ${emulator.size.rows - 1}.`)
  }

  return {
    rows() {
      const { active } = internals.buffers
      return rowsOf(active, active.ybase, active.ybase + emulator.size.rows)
    },
    text() {
      const lines = this.rows().map(({ text }) => text)
      return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).join('\n')
    },
    scrollback: () => rowsOf(internals.buffers.normal, 0, internals.buffers.normal.ybase),
    row(index) {
      const line = lineOf(index)
      return rowsOf(internals.buffers.active, line, line + 1)[0]!
    },
    cell(row, column) {
      const line = internals.buffers.active.lines.get(lineOf(row))!
      const { cols } = emulator.size
      if (isWithin(column, cols)) return createCell(line, column, cols, colouring)
      throw new HubError('invalid', `There is no column ${column}: the screen has columns 0 to ${cols - 1}.`)
    },
    cursor() {
      const { x, y } = internals.buffers.active
      const column = Math.min(x, emulator.size.cols - 1)
      return {
        row: y,
        column,
        character: this.cell(y, column).character,
        isVisible: !internals.coreService.isCursorHidden,
        shape: cursorShape(internals),
      }
    },
  }
}

function isWithin(index: number, length: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < length
}
