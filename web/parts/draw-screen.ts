/** Draws the end of a terminal screen on a canvas. */

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

export function drawScreen(canvas: HTMLCanvasElement, screen: Screen, letters: number): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const pen = canvas.getContext('2d')
  if (!pen || width === 0) return
  const ratio = devicePixelRatio || 1
  canvas.width = width * ratio
  canvas.height = height * ratio
  pen.scale(ratio, ratio)
  pen.textBaseline = 'alphabetic'
  pen.font = `${letters}px "JetBrains Mono", monospace`
  const column = pen.measureText('M').width
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
  return colour === 'default' ? otherwise : colour
}
