/**
 * A few bytes of output can stop the emulator for minutes, take gigabytes, or make it throw. Here they are made
 * harmless, without a change to what any sane program gets.
 */
import { widthAt } from './cells.ts'
import type { CsiName, EmulatorBuffer, EmulatorLine, Internals } from './internals.ts'

interface Size {
  readonly cols: number
  readonly rows: number
}

export function guardEmulator(internals: Internals, size: () => Size): void {
  for (const [names, limit] of counted) {
    for (const final of names) limitCount(internals, { final }, () => limit(size()))
  }
  for (const name of [{ final: 'J' }, { prefix: '?', final: 'J' }]) guardEraseAbove(internals, name, size)
  keepMarksApart(internals)
}

/** Sequences that repeat something as often as they say; beyond the size of the screen nothing is left to do. */
const counted: readonly (readonly [string, (size: Size) => number])[] = [
  ['LMST', ({ rows }) => rows],
  ['IZ', ({ cols }) => cols],
  ['b', ({ cols, rows }) => cols * rows],
]

function limitCount(internals: Internals, name: CsiName, limit: () => number): void {
  internals.registerCsiHandler(name, ({ params }) => {
    if (params[0]! > limit()) params[0] = limit()
    return false
  })
}

/**
 * Erasing all up to the last cell of the screen, the emulator reaches for the line below, and throws when there is none.
 * So it is left to erase all but that cell, which is erased apart.
 */
function guardEraseAbove(internals: Internals, name: CsiName, size: () => Size): void {
  const isSelective = name.prefix === '?'
  internals.registerCsiHandler(name, (parameters) => {
    const { active } = internals.buffers
    const { x } = active
    const { cols } = size()
    if (parameters.params[0] !== 1 || x + 1 < cols || active.lines.get(active.y + 1)) return false
    active.x = cols - 2
    internals._inputHandler.eraseInDisplay(parameters, isSelective)
    active.x = cols - 1
    internals._inputHandler.eraseInLine({ params: [0], length: 1 }, isSelective)
    active.x = x
    return true
  })
}

/**
 * Where cells are copied from line to line, as folding anew does, the emulator copies the characters with marks of all
 * cells behind them too, over those that stand there. Done once for all emulators, since a line knows only its kind.
 */
function keepMarksApart({ buffers }: Internals): void {
  const kind = Object.getPrototypeOf(buffers.normal.lines.get(0)) as EmulatorLine
  if (mended.has(kind)) return
  mended.add(kind)
  const copy = kind.copyCellsFrom
  kind.copyCellsFrom = function (source, from, to, length, isReverse) {
    const marked = Object.entries(source._combined)
      .map(([column, text]) => [Number(column) - from, text] as const)
      .filter(([index]) => index >= 0 && index < length)
    const before = { ...this._combined }
    copy.call(this, source, from, to, length, isReverse)
    this._combined = before
    for (const [index, text] of marked) before[index + to] = text
  }
}

const mended = new WeakSet<EmulatorLine>()

/**
 * Lines are kept in a ring, and where it happens to begin shows in what a change of size makes of it: the emulator
 * takes places in the ring for lines. With another capacity for a moment it begins at the beginning.
 */
export function straightenBuffers({ buffers: { normal, alt } }: Internals): void {
  for (const { lines } of [normal, alt]) {
    lines.maxLength++
    lines.maxLength--
  }
}

/** Sets right what the emulator leaves wrong after a change of size. */
export function repairBuffers({ buffers: { normal, alt } }: Internals, size: Size): void {
  for (const buffer of [normal, alt]) if (buffer.lines.length > 0) repairTop(buffer, size)
  trimAlternateScreen(alt, size)
}

/** With no room above the screen, lines folded anew push its top below the end; then it would print on lines that are not. */
function repairTop(buffer: EmulatorBuffer, { rows }: Size): void {
  const { lines } = buffer
  while (lines.length < rows) lines.push(buffer.getBlankLine(buffer.getNullCell()))
  const cursorLine = buffer.ybase + buffer.y
  buffer.ybase = lines.length - rows
  buffer.ydisp = buffer.ybase
  buffer.y = Math.min(Math.max(cursorLine - buffer.ybase, 0), rows - 1)
}

/**
 * Two things would come to light later: cells right of the edge, and, while the alternate screen is not shown, room for
 * lines that should be gone when they scroll off.
 */
function trimAlternateScreen(alt: EmulatorBuffer, { cols, rows }: Size): void {
  for (let index = 0; index < alt.lines.length; index++) {
    const line = alt.lines.get(index)!
    if (line.length <= cols) continue
    line.resize(cols, alt.getNullCell())
    const isCutInHalf = widthAt(line, cols - 1) === 2
    if (isCutInHalf) line.replaceCells(cols - 1, cols, alt.getNullCell())
  }
  if (alt.lines.length === 0) alt.lines.maxLength = rows
}
