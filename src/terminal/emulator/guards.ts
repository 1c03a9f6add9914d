/**
 * A few bytes of output can block the emulator for minutes, take gigabytes, or make it throw. The guards prevent that
 * without changing anything for normal programs.
 */
import { widthAt } from './cells.ts'
import { codepointsIn } from './character-width.ts'
import type { CsiName, EmulatorBuffer, EmulatorLine, InputHandler, Internals, TextCollector } from './internals.ts'

interface Size {
  readonly cols: number
  readonly rows: number
}

export function guardEmulator(internals: Internals, size: () => Size): void {
  for (const [names, limit] of counted) {
    for (const final of names) limitCount(internals, { final }, () => limit(size(), internals))
  }
  for (const name of [{ final: 'J' }, { prefix: '?', final: 'J' }]) guardEraseAbove(internals, name, size)
  limitTexts(internals._inputHandler._parser)
  keepMarksApart(internals)
}

/** Sequences that repeat something by their count. Counts beyond the size of the screen have no further effect. */
const counted: readonly (readonly [string, (size: Size, internals: Internals) => number])[] = [
  ['LMST', ({ rows }) => rows],
  ['IZ', ({ cols }) => cols],
  ['b', mostRepeats],
]

/** Less for a character that takes longer: with combining marks, or in insert mode, where it moves those to its right. */
function mostRepeats({ cols, rows }: Size, { coreService, _inputHandler: handler }: Internals): number {
  if (coreService.modes.insertMode) return cols
  return Math.ceil((cols * rows) / codepointsIn(handler._parser.precedingJoinState))
}

function limitCount(internals: Internals, name: CsiName, limit: () => number): void {
  internals.registerCsiHandler(name, ({ params }) => {
    if (params[0]! > limit()) params[0] = limit()
    return false
  })
}

/** Far more than a link or a change of the whole palette has. A sequence with a longer text is ignored. */
const maxTextLength = 16 * 1024

/** Without it, the emulator collects ten million characters of each title. */
function limitTexts({ _oscParser: osc, _dcsParser: dcs }: InputHandler['_parser']): void {
  const { start, end } = osc
  const { hook, unhook } = dcs
  const [oscText, dcsText] = [limitText(osc), limitText(dcs)]
  osc.start = () => {
    oscText.length = 0
    start.call(osc)
  }
  osc.end = (isComplete, outcome) => end.call(osc, isComplete && oscText.length <= maxTextLength, outcome)
  dcs.hook = (identifier, parameters) => {
    dcsText.length = 0
    hook.call(dcs, identifier, parameters)
  }
  dcs.unhook = (isComplete, outcome) => unhook.call(dcs, isComplete && dcsText.length <= maxTextLength, outcome)
}

function limitText(collector: TextCollector): { length: number } {
  const { put } = collector
  const text = { length: 0 }
  collector.put = (codepoints, start, end) => {
    text.length += end - start
    if (text.length <= maxTextLength) put.call(collector, codepoints, start, end)
  }
  return text
}

/**
 * When the emulator erases up to the last cell of the screen, it accesses the line below, and throws if there is none.
 * So it erases all but that cell, and the cell is erased separately.
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
 * When the emulator copies cells from line to line, as rewrapping does, it also copies the combined characters of all
 * later cells, over those in the target line. Patched once for all emulators, on the prototype of a line.
 */
function keepMarksApart({ buffers }: Internals): void {
  const prototype = Object.getPrototypeOf(buffers.normal.lines.get(0)) as EmulatorLine
  if (patched.has(prototype)) return
  patched.add(prototype)
  const copy = prototype.copyCellsFrom
  prototype.copyCellsFrom = function (source, from, to, length, isReverse) {
    const marked = Object.entries(source._combined)
      .map(([column, text]) => [Number(column) - from, text] as const)
      .filter(([index]) => index >= 0 && index < length)
    const before = { ...this._combined }
    copy.call(this, source, from, to, length, isReverse)
    this._combined = before
    for (const [index, text] of marked) before[index + to] = text
  }
}

const patched = new WeakSet<EmulatorLine>()

/**
 * Lines are kept in a ring buffer. On a resize, the emulator confuses positions in the ring with line numbers, so the
 * result depends on where the ring starts. Changing the capacity for a moment moves the start to position 0.
 */
export function straightenBuffers({ buffers: { normal, alt } }: Internals): void {
  for (const { lines } of [normal, alt]) {
    lines.maxLength++
    lines.maxLength--
  }
}

/** Repairs the buffers that the emulator leaves in a wrong state after a resize. */
export function repairBuffers({ buffers: { normal, alt } }: Internals, size: Size): void {
  for (const buffer of [normal, alt]) if (buffer.lines.length > 0) repairTop(buffer, size)
  trimAlternateScreen(alt, size)
}

/**
 * Without scrollback, rewrapped lines push the top of the screen past the end, and the emulator prints on missing
 * lines.
 */
function repairTop(buffer: EmulatorBuffer, { rows }: Size): void {
  const { lines } = buffer
  while (lines.length < rows) lines.push(buffer.getBlankLine(buffer.getNullCell()))
  const cursorLine = buffer.ybase + buffer.y
  buffer.ybase = lines.length - rows
  buffer.ydisp = buffer.ybase
  buffer.y = Math.min(Math.max(cursorLine - buffer.ybase, 0), rows - 1)
}

/**
 * Prevents two later surprises: cells beyond the edge that reappear, and, while the alternate screen is hidden, space
 * for lines that should be dropped when they scroll off.
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
