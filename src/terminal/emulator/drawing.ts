/**
 * The whole state of an emulator as escape sequences that draw it on an empty one of the same size, for a hub after a
 * restart and for a page that joins late. A few numbers that no sequence can express are kept beside them.
 */
import { type CellAttributes, attributesAt, cellsOf, defaultAttributes } from './cells.ts'
import type { Size } from '../pty/size.ts'
import type { Emulator } from './emulator.ts'
import type { EmulatorBuffer, Internals } from './internals.ts'
import { drawLines, toColumn } from './line-drawing.ts'
import type { Links } from './links.ts'
import { charsetName, charsetSequences, modeSequences } from './mode-drawing.ts'
import type { OddCell } from './odd-cells.ts'
import { oddCellsOf, restoreOddCells } from './odd-cells.ts'
import type { Palette } from './palette.ts'
import type { Pen } from './pen.ts'
import { createPen } from './pen.ts'
import type { Titles } from './titles.ts'

export interface Drawing {
  readonly sequences: string
  readonly remainder: Remainder
}

/** Set by `restoreRemainder` after the sequences are drawn. Without it, a terminal differs only in details. */
export interface Remainder {
  /** One more than the last column if a character was just printed there. */
  readonly column: number
  readonly joinState: number
  readonly ink: { readonly foreground: number; readonly background: number; readonly extended: number }
  readonly saved: { readonly normal: SavedCursor; readonly alternate: SavedCursor }
  readonly oddCells: { readonly normal: readonly OddCell[]; readonly alternate: readonly OddCell[] }
  readonly hiddenStops: { readonly normal: readonly number[]; readonly alternate: readonly number[] }
}

interface SavedCursor {
  readonly column: number
  readonly line: number
  readonly foreground: number
  readonly background: number
}

export interface Drawable {
  readonly emulator: Emulator
  readonly links: Links
  readonly titles: Titles
  readonly palette: Palette
}

/** `undefined` inside a sequence or character, and in the few states that cannot be drawn. */
export function drawEmulator({ emulator, links, titles, palette }: Drawable): Drawing | undefined {
  const { internals, size } = emulator
  const charsets = charsetSequences(internals)
  if (!isBetweenSequences(internals) || charsets === undefined || !isRegular(internals, size)) return undefined

  const { normal, alt, active } = internals.buffers
  const pen = createPen(links)
  pen.put(palette.changes() + titleSequences(titles))
  drawBuffer(pen, normal, size)
  if (pen.isFull) return undefined
  if (active === alt || isSaved(alt)) {
    pen.put(`${toCell(normal.x, normal.y)}\x1b[?47h\x1b[H`)
    if (active === alt) drawBuffer(pen, alt, size)
    else drawSavedCursor(pen, alt, size.rows)
    if (active !== alt) pen.put('\x1b[?47l')
  }
  pen.put(modeSequences(internals))
  drawCursor(pen, internals, size.cols)
  pen.put(`${internals.coreService.modes.insertMode ? '\x1b[4h' : ''}${charsets}`)
  pen.setAttributes(currentAttributes(internals))
  if (pen.isFull) return undefined
  return { sequences: pen.drawing(), remainder: remainderOf(internals, size) }
}

export function restoreRemainder({ internals }: Emulator, remainder: Remainder): void {
  const { column, joinState, ink, saved, oddCells, hiddenStops: stops } = remainder
  const { buffers, _inputHandler: handler } = internals
  buffers.active.x = column
  handler._parser.precedingJoinState = joinState
  handler._curAttrData.fg = ink.foreground
  handler._curAttrData.bg = ink.background
  handler._curAttrData.extended._ext = ink.extended
  for (const [buffer, cursor] of [[buffers.normal, saved.normal] as const, [buffers.alt, saved.alternate] as const]) {
    buffer.savedX = cursor.column
    buffer.savedY = cursor.line
    buffer.savedCurAttrData.fg = cursor.foreground
    buffer.savedCurAttrData.bg = cursor.background
  }
  restoreOddCells(buffers.normal, oddCells.normal)
  restoreOddCells(buffers.alt, oddCells.alternate)
  for (const stop of stops.normal) buffers.normal.tabs[stop] = true
  for (const stop of stops.alternate) buffers.alt.tabs[stop] = true
}

function remainderOf({ buffers, _inputHandler: handler }: Internals, { cols }: Size): Remainder {
  const { fg, bg, extended } = handler._curAttrData
  return {
    column: buffers.active.x,
    joinState: handler._parser.precedingJoinState,
    ink: { foreground: fg, background: bg, extended: extended._ext },
    saved: { normal: savedCursor(buffers.normal), alternate: savedCursor(buffers.alt) },
    oddCells: { normal: oddCellsOf(buffers.normal, cols), alternate: oddCellsOf(buffers.alt, cols) },
    hiddenStops: { normal: hiddenStops(buffers.normal.tabs, cols), alternate: hiddenStops(buffers.alt.tabs, cols) },
  }
}

function savedCursor({ savedX, savedY, savedCurAttrData }: EmulatorBuffer): SavedCursor {
  return { column: savedX, line: savedY, foreground: savedCurAttrData.fg, background: savedCurAttrData.bg }
}

function isBetweenSequences({ _inputHandler: handler }: Internals): boolean {
  return handler._parser.currentState === 0 && handler._utf8Decoder.interim[0] === 0
}

function isRegular({ buffers, coreService }: Internals, { rows }: Size): boolean {
  const { normal, alt, active } = buffers
  if ([normal, alt].some(({ savedCharset }) => charsetName(savedCharset) === undefined)) return false
  const isInMargins = active.y >= active.scrollTop && active.y <= active.scrollBottom
  // With origin mode, no sequence moves the cursor out of the margins.
  if (coreService.decPrivateModes.origin && !isInMargins) return false
  return normal.lines.length === normal.ybase + rows && active.lines.length === active.ybase + rows
}

function drawBuffer(pen: Pen, buffer: EmulatorBuffer, { cols, rows }: Size): void {
  drawLines(pen, buffer, cols, rows)
  drawTabStops(pen, buffer, cols)
  if (buffer.scrollTop > 0 || buffer.scrollBottom < rows - 1) {
    pen.put(`\x1b[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`)
  }
  if (isSaved(buffer)) drawSavedCursor(pen, buffer, rows)
}

function drawTabStops(pen: Pen, { tabs }: EmulatorBuffer, cols: number): void {
  if (isUsual(tabs, cols)) return
  const stops = columnsOf(cols).filter((column) => tabs[column])
  pen.put(`\x1b[3g${stops.map((column) => `${toColumn(column)}\x1bH`).join('')}`)
}

/** Tab stops beyond the edge, which become visible when the screen grows. */
function hiddenStops(tabs: EmulatorBuffer['tabs'], cols: number): readonly number[] {
  return Object.keys(tabs)
    .map(Number)
    .filter((column) => column >= cols && tabs[column])
}

function isUsual(tabs: EmulatorBuffer['tabs'], cols: number): boolean {
  return columnsOf(cols).every((column) => Boolean(tabs[column]) === (column % 8 === 0))
}

function columnsOf(cols: number): readonly number[] {
  return Array.from({ length: cols }, (_, column) => column)
}

function isSaved({ savedX, savedY, savedCurAttrData, savedCharset }: EmulatorBuffer): boolean {
  return (
    savedX !== 0 || savedY !== 0 || savedCurAttrData.fg !== 0 || savedCurAttrData.bg !== 0 || savedCharset !== undefined
  )
}

function drawSavedCursor(pen: Pen, buffer: EmulatorBuffer, rows: number): void {
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1)
  pen.put(toCell(buffer.savedX, row))
  pen.setAttributes({
    ...defaultAttributes,
    foreground: buffer.savedCurAttrData.fg,
    background: buffer.savedCurAttrData.bg,
  })
  pen.put(`\x1b(${charsetName(buffer.savedCharset)}\x1b7\x1b(B`)
  pen.setAttributes(defaultAttributes)
}

function drawCursor(pen: Pen, { buffers, coreService }: Internals, cols: number): void {
  const { active } = buffers
  const row = active.y - (coreService.decPrivateModes.origin ? active.scrollTop : 0)
  const line = active.lines.get(active.ybase + active.y)!
  const last = [...cellsOf(line, cols)].at(-1)!
  if (active.x < cols || last.text === '') {
    pen.put(toCell(Math.min(active.x, cols - 1), row))
  } else {
    // Print the last character again, so that the next one wraps.
    pen.put(toCell(last.column, row))
    pen.print(last.text, attributesAt(line, last.column))
  }
}

function currentAttributes({ _inputHandler: { _curAttrData } }: Internals): CellAttributes {
  const { fg, bg, extended } = _curAttrData
  return { foreground: fg, background: bg, extended: extended._ext, linkId: extended.urlId }
}

function titleSequences({ current, stack }: Titles): string {
  const set = (title: string): string => `\x1b]2;${title}\x1b\\`
  return (
    stack.map((title) => `${set(title)}\x1b[22;2t`).join('') +
    (current === '' && stack.length === 0 ? '' : set(current))
  )
}

function toCell(column: number, row: number): string {
  return `\x1b[${row + 1};${column + 1}H`
}
