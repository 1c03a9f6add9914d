import { maxSize } from '../../base/terminal-size.ts'

/** The size of a terminal in cells. */
export interface Size {
  readonly cols: number
  readonly rows: number
}

/**
 * The nearest size that a terminal may have. A program can set any size on its own terminal, and other programs of the
 * same user can reach the socket of a holder. Throws if the value is not a size.
 */
export function boundedSize(value: unknown): Size {
  const { cols, rows } = (value ?? {}) as Partial<Size>
  return { cols: bounded(cols, 2, maxSize.cols), rows: bounded(rows, 1, maxSize.rows) }
}

function bounded(value: unknown, least: number, most: number): number {
  if (!Number.isSafeInteger(value)) throw new Error('A terminal has a whole number of columns and rows.')
  return Math.min(Math.max(value as number, least), most)
}
