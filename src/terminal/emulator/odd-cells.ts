/**
 * Empty cells that differ from erased ones: halves of wide characters whose other half was overwritten or moved away.
 * No sequence produces exactly these cells, but they matter when lines are rewrapped and when text is read.
 */
import { columnsTaken, endOfContent, hasBackgroundOnly, attributesAt, textAt } from './cells.ts'
import type { EmulatorBuffer } from './internals.ts'

export interface OddCell {
  /** Counted from the last line, which is 1, since the number of lines above may change. */
  readonly fromEnd: number
  readonly column: number
  /** In the emulator's encoding. */
  readonly content: number
  /** The character with its combining marks. */
  readonly combined?: string
}

const cellSize = 3
const emptyCell = 1 << 22
const isCombined = 0x200000

export function oddCellsOf({ lines }: EmulatorBuffer, cols: number): readonly OddCell[] {
  const odd: OddCell[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines.get(index)!
    const end = endOfContent(line, cols)
    for (let column = 0; column < end;) {
      const width = columnsTaken(line, column, cols)
      const content = line._data[column * cellSize]!
      const isEmpty = width === 1 && textAt(line, column, width) === ''
      if (isEmpty && (content !== emptyCell || !hasBackgroundOnly(attributesAt(line, column)))) {
        const combined = content & isCombined ? line._combined[column] : undefined
        odd.push({ fromEnd: lines.length - index, column, content, ...(combined !== undefined && { combined }) })
      }
      column += width
    }
  }
  return odd
}

export function restoreOddCells({ lines }: EmulatorBuffer, cells: readonly OddCell[]): void {
  for (const { fromEnd, column, content, combined } of cells) {
    const line = fromEnd <= lines.length ? lines.get(lines.length - fromEnd) : undefined
    if (!line) continue
    line._data[column * cellSize] = content
    if (combined !== undefined) line._combined[column] = combined
  }
}
