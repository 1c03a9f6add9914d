/**
 * A program may print more than its screen can be drawn with. Then the screen gives up the middle of the output and goes on
 * with its end. The journal has all of it.
 */

/** The drawing of a screen may be this far behind its program, in CPU time. */
const maxBehindMs = 1_000
/** So much is drawn of the end. */
const endMs = 250
/** Even if it takes longer: the last lines. */
const leastBytes = 4 * 1024
/** More than fills the screen and the lines above it that memory keeps. */
const mostBytes = 1024 * 1024

export interface Backlog {
  /** The offset of the next byte to be drawn. */
  readonly offset: number
  /** The end of the output. */
  readonly end: number
  readonly msPerByte: number
  /** How many screens are drawn at the same time. */
  readonly screens: number
}

/** Where the drawing goes on. `undefined`: it can draw everything in time. */
export function endWorthDrawing(backlog: Backlog): number | undefined {
  const { offset, end, msPerByte, screens } = backlog
  const msEach = msPerByte * Math.max(1, screens)
  if ((end - offset) * msEach <= maxBehindMs) return undefined
  const from = end - Math.min(Math.max(Math.floor(endMs / msEach), leastBytes), mostBytes)
  return from > offset ? from : undefined
}

/**
 * Stands where output was left out. What the program has set for a while is reset: colours, margins, insert mode,
 * origin mode and character sets. The modes that last stay: they more likely still hold.
 */
export function gapMark(isAlternateScreen: boolean): Buffer {
  const reset = '\x1b[0m\x1b[4l\x1b[?6l\x1b[r\x1b(B\x1b)B\x0f'
  const shown = isAlternateScreen
    ? '\x1b[2J\x1b[H'
    : '\x1b[999;1H\r\n\x1b[2m[Output was left out here: it came faster than it can be drawn. read_output has it.]\x1b[0m\r\n'
  return Buffer.from(reset + shown)
}
