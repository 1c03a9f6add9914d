/**
 * Characters that are drawn as shapes, not with a font, so that they fill their cells and join: lines and boxes,
 * blocks, braille, and the arrow heads of prompts.
 */
import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Area } from './area.ts'
import { drawBlock } from './blocks.ts'
import { drawBoxLines } from './box-lines.ts'

/** Returns whether the character is such a shape. */
export function drawShape(context: SKRSContext2D, text: string, area: Area): boolean {
  const code = text.codePointAt(0) ?? 0
  if (code >= 0x2500 && code <= 0x257f) drawBoxLines(context, code, area)
  else if (code >= 0x2580 && code <= 0x259f) drawBlock(context, code, area)
  else if (code >= 0x2800 && code <= 0x28ff) drawBraille(context, code, area)
  else if (code >= 0xe0b0 && code <= 0xe0b3) drawArrowHead(context, code, area)
  else return false
  return true
}

function drawBraille(context: SKRSContext2D, code: number, { x, y, width, height }: Area): void {
  const size = Math.max(1, Math.round(width / 4))
  for (const [bit, { column, row }] of brailleDots.entries()) {
    if (!(code & (1 << bit))) continue
    const left = x + Math.round(((column * 2 + 1) * width) / 4 - size / 2)
    const top = y + Math.round(((row * 2 + 1) * height) / 8 - size / 2)
    context.fillRect(left, top, size, size)
  }
}

/** In the order of their bits: three dots on the left, three on the right, then the lowest two. */
const brailleDots = [
  ...[0, 1, 2].map((row) => ({ column: 0, row })),
  ...[0, 1, 2].map((row) => ({ column: 1, row })),
  { column: 0, row: 3 },
  { column: 1, row: 3 },
]

/** Filled and outlined, to the right and to the left. */
function drawArrowHead(context: SKRSContext2D, code: number, { x, y, width, height }: Area): void {
  const isLeftward = code >= 0xe0b2
  const [base, tip] = isLeftward ? [x + width, x] : [x, x + width]
  context.beginPath()
  context.moveTo(base, y)
  context.lineTo(tip, y + height / 2)
  context.lineTo(base, y + height)
  const isFull = code % 2 === 0
  if (isFull) context.fill()
  else context.stroke()
}
