/**
 * Cuts output into pieces that are cheap to draw, whatever they contain. A few bytes may cost as much as a screen full of
 * text: `CSI 999 L` moves every line, and `ESC c` makes a new screen. So each byte counts as much as it could cost at
 * worst, and the clock can be read between two pieces.
 */
import type { Size } from '../pty/size.ts'

/** Measured in printed characters, which themselves do not count. A piece takes about five milliseconds at worst. */
const pieceCost = 100_000
const maxPieceBytes = 32 * 1024
const escape = 0x1b
/** In UTF-8, the control characters from 80 to 9F begin with this byte. 9B begins a sequence, as ESC [ does. */
const c1 = 0xc2
/** Sequences of one kind, which change no more than a line: colours, cursor moves, erasing to the end of the line. */
const isCheap = new Uint8Array(256)
for (const final of 'mABCDGHKdf') isCheap[final.charCodeAt(0)] = 1
const cheapCost = 20

/** `mayInsert`: where the piece starts, the screen is in insert mode, or inside a sequence that may switch it on. */
export type CutPiece = (bytes: Uint8Array, start: number, mayInsert?: boolean) => number

/** Returns a function that finds the end of the piece that starts at `start`. */
export function pieceCutter({ cols, rows }: Size): CutPiece {
  const costs = costsOf({ cols, rows })
  return (bytes, start, mayInsert = false) => {
    const last = Math.min(bytes.length, start + maxPieceBytes)
    let cost = 0
    // In insert mode, a character moves all those to its right.
    let movesOthers = mayInsert
    for (let index = start; index < last; index++) {
      const byte = bytes[index]!
      // All printed bytes of a piece together would cost less than the piece may.
      if (costs[byte] === 0 && !movesOthers) continue
      const end = byte === escape ? endOfCheap(bytes, index, last) : index
      cost += end > index ? cheapCost + cols : costs[byte]! || cols
      movesOthers ||= end === index && (byte === escape || byte === c1)
      if (cost > pieceCost && index > start) return index
      index = end
    }
    return last
  }
}

/** `start` itself if the sequence may be expensive. */
function endOfCheap(bytes: Uint8Array, start: number, last: number): number {
  if (bytes[start + 1] !== 0x5b) return start
  let index = start + 2
  // Digits, colons and semicolons.
  while (index < last && bytes[index]! >= 0x30 && bytes[index]! <= 0x3b) index++
  return index < last && isCheap[bytes[index]!] === 1 ? index : start
}

function costsOf({ cols, rows }: Size): Uint32Array {
  // To move a line costs as much as to move its place among the others.
  const screen = rows * Math.max(cols, rows)
  const costs = new Uint32Array(256)
  // A line feed may move all lines of a scroll region.
  costs.fill(rows, 0, 0x20)
  costs[escape] = screen
  costs[c1] = screen
  return costs
}
