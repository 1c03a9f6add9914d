/**
 * Draws a QR code with half blocks: one character for two modules, one above the other, so that modules are square. The
 * light modules are drawn. With colours they are white on black, on any terminal. Without, the code is right on a dark
 * terminal and inverted on a light one, which scanners read too.
 */
import { encode } from 'uqr'
import { paint } from './printable.ts'

export interface QrCode {
  readonly lines: readonly string[]
  readonly columns: number
}

/** The quiet zone around the code, in modules. */
const border = 2

export function drawQrCode(text: string, { hasColours }: { hasColours: boolean }): QrCode {
  // Low error correction keeps the code small. It is raised as far as the same size allows.
  const { data, size } = encode(text, { ecc: 'L', boostEcc: true, border })
  const isDark = (row: number, column: number) => data[row]?.[column] ?? true
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_, column) => block(!isDark(2 * line, column), !isDark(2 * line + 1, column))).join(
      '',
    ),
  )
  return { lines: hasColours ? lines.map((line) => paint(['whiteBright', 'bgBlack'], line)) : lines, columns: size }
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
