/** Block elements, U+2580 to U+259F: filled parts of a cell, and shades. */
import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Area } from './area.ts'

export function drawBlock(context: SKRSContext2D, code: number, area: Area): void {
  const shade = [0x2591, 0x2592, 0x2593].indexOf(code)
  if (shade >= 0) return drawShade(context, (shade + 1) / 4, area)
  for (const part of partsOf(code)) fillPart(context, part, area)
}

/** In eighths of the cell: left, top, right, bottom. */
type Part = readonly [number, number, number, number]

function partsOf(code: number): readonly Part[] {
  if (code === 0x2580) return [[0, 0, 8, 4]]
  if (code <= 0x2588) return [[0, 8 - (code - 0x2580), 8, 8]]
  if (code <= 0x258f) return [[0, 0, 8 - (code - 0x2588), 8]]
  if (code === 0x2590) return [[4, 0, 8, 8]]
  if (code === 0x2594) return [[0, 0, 8, 1]]
  if (code === 0x2595) return [[7, 0, 8, 8]]
  return quadrants.filter((_, bit) => quadrantsOf[code - 0x2596]! & (1 << bit))
}

/** Upper left, upper right, lower left, lower right. */
const quadrants: readonly Part[] = [
  [0, 0, 4, 4],
  [4, 0, 8, 4],
  [0, 4, 4, 8],
  [4, 4, 8, 8],
]

/** U+2596 to U+259F, by the bits of their quadrants. */
const quadrantsOf = [0b0100, 0b1000, 0b0001, 0b1101, 0b1001, 0b0111, 0b1011, 0b0010, 0b0110, 0b1110]

/** Edges are rounded the same way on both sides, so that neighbours touch. */
function fillPart(context: SKRSContext2D, [left, top, right, bottom]: Part, { x, y, width, height }: Area): void {
  const across = (eighths: number) => Math.round((eighths * width) / 8)
  const down = (eighths: number) => Math.round((eighths * height) / 8)
  context.fillRect(x + across(left), y + down(top), across(right) - across(left), down(bottom) - down(top))
}

function drawShade(context: SKRSContext2D, strength: number, { x, y, width, height }: Area): void {
  const before = context.globalAlpha
  context.globalAlpha = before * strength
  context.fillRect(x, y, width, height)
  context.globalAlpha = before
}
