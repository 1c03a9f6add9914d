/** Draws the end of a terminal screen on a canvas. */
import { shownColour } from './terminal-palette.ts'

export interface Screen {
  readonly cols: number
  readonly rows: number
  readonly lines: readonly { readonly text: string; readonly runs: readonly Run[] }[]
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean }
}

/** Letters of one style. Colours are `default` or `#rrggbb`. */
interface Run {
  readonly text: string
  readonly col: number
  readonly width: number
  readonly fg: string
  readonly bg: string
  readonly bold?: boolean
  readonly dim?: boolean
  readonly reverse?: boolean
  readonly invisible?: boolean
}

const ground = '#0E1413'
const ink = '#CBD5D0'
const cursorColour = '#F2F6F4'
const padding = { left: 6, bottom: 5 }
/** The width of each letter of JetBrains Mono, as a fraction of the font size. */
const advance = 0.6

export interface DrawnSize {
  readonly width: number
  readonly height: number
}

export function drawScreen(
  canvas: HTMLCanvasElement,
  screen: Screen,
  { width, height }: DrawnSize,
  letters: number,
): void {
  const pen = canvas.getContext('2d', { alpha: false })
  if (!pen || width === 0) return
  const ratio = devicePixelRatio || 1
  // A new size makes a new canvas, which costs more than drawing over the old one.
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  pen.textBaseline = 'alphabetic'
  // Setting the font recalculates the styles of the whole page, so it is set once.
  if (!pen.font.startsWith(`${letters}px `)) pen.font = `${letters}px "JetBrains Mono", monospace`
  const column = letters * advance
  const row = letters * 1.29
  const last = lastUsedRow(screen)
  const top = height - padding.bottom - (last + 1) * row
  for (let index = last; index >= 0 && top + (index + 1) * row > 0; index--) {
    for (const run of screen.lines[index]!.runs)
      drawRun(pen, run, { x: padding.left, y: top + index * row, column, row })
  }
  const { cursor } = screen
  if (cursor.visible && cursor.row <= last) {
    pen.fillStyle = cursorColour
    pen.fillRect(padding.left + cursor.col * column, top + cursor.row * row, column, row)
  }
}

interface Place {
  readonly x: number
  readonly y: number
  readonly column: number
  readonly row: number
}

function drawRun(pen: CanvasRenderingContext2D, run: Run, { x, y, column, row }: Place): void {
  const [front, back] = run.reverse
    ? [colourOf(run.bg, ground), colourOf(run.fg, ink)]
    : [colourOf(run.fg, ink), colourOf(run.bg, '')]
  const left = x + run.col * column
  if (back !== '') {
    pen.fillStyle = back
    pen.fillRect(left, y, run.width * column, row)
  }
  if (run.invisible || run.text.trim() === '') return
  pen.fillStyle = front
  pen.globalAlpha = run.dim ? 0.6 : 1
  pen.fillText(run.text, left, y + row * 0.78)
  pen.globalAlpha = 1
}

function lastUsedRow({ lines, cursor }: Screen): number {
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  return Math.max(last, cursor.visible ? cursor.row : 0, 0)
}

function colourOf(colour: string, otherwise: string): string {
  return colour === 'default' ? otherwise : shownColour(colour)
}
