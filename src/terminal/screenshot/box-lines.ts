/** Box drawing, U+2500 to U+257F: up to four arms from the middle of the cell, each light, heavy or double. */
import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Area } from './area.ts'

export function drawBoxLines(context: SKRSContext2D, code: number, area: Area): void {
  const dashes = dashesOf(code)
  if (code >= 0x2571 && code <= 0x2573) drawDiagonals(context, code, area)
  else if (code >= 0x256d && code <= 0x2570) drawArc(context, armsOf(code), area)
  else if (dashes > 0) drawDashes(context, armsOf(code), dashes, area)
  else drawArms(context, armsOf(code), area)
}

/** 0 none, 1 light, 2 heavy, 3 double */
type Weight = 0 | 1 | 2 | 3

interface Arms {
  readonly left: Weight
  readonly up: Weight
  readonly right: Weight
  readonly down: Weight
}

/** Left, up, right, down of each character, sixteen per line. Diagonals have no arms. */
const armsTable = `
  1010 2020 0101 0202 1010 2020 0101 0202 1010 2020 0101 0202 0011 0021 0012 0022
  1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112
  0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021
  1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121
  1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 1010 2020 0101 0202
  3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313
  0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 0011 1001 1100
  0110 0000 0000 0000 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201`

const allArms: readonly Arms[] = armsTable
  .trim()
  .split(/\s+/)
  .map((digits) => {
    const [left, up, right, down] = digits.split('').map((digit) => Number(digit) as Weight)
    return { left: left!, up: up!, right: right!, down: down! }
  })

function armsOf(code: number): Arms {
  return allArms[code - 0x2500]!
}

function dashesOf(code: number): number {
  if (code >= 0x2504 && code <= 0x2507) return 3
  if (code >= 0x2508 && code <= 0x250b) return 4
  return code >= 0x254c && code <= 0x254f ? 2 : 0
}

const light = 1
const heavy = 3
/** The distance of the two lines of a double arm from the middle. */
const apart = 1

function drawArms(context: SKRSContext2D, arms: Arms, { x, y, width, height }: Area): void {
  const middleX = Math.floor(width / 2)
  const middleY = Math.floor(height / 2)
  for (const [from, to, offset, thickness] of linesOf(arms.left, arms.right, arms.up, arms.down, middleX, width)) {
    context.fillRect(x + from, y + middleY + offset, to - from, thickness)
  }
  for (const [from, to, offset, thickness] of linesOf(arms.up, arms.down, arms.left, arms.right, middleY, height)) {
    context.fillRect(x + middleX + offset, y + from, thickness, to - from)
  }
}

/** Along one axis: from, to, offset across the axis, thickness. */
type Line = readonly [number, number, number, number]

/**
 * The lines of two opposite arms; `above` and `below` are the arms across. A line of a double arm ends at the near line
 * of a double arm on its own side. If there is one only on the other side, it turns at the far line.
 */
function* linesOf(
  first: Weight,
  second: Weight,
  above: Weight,
  below: Weight,
  middle: number,
  end: number,
): Generator<Line> {
  const reach = reachOf(above, below)
  for (const [weight, isFirst] of [[first, true] as const, [second, false] as const]) {
    for (const [offset, thickness] of strokesOf(weight)) {
      const past = weight === 3 ? turnOf(offset < 0 ? above : below, offset < 0 ? below : above) : reach
      yield isFirst ? [0, middle + past + light, offset, thickness] : [middle - past, end, offset, thickness]
    }
  }
}

/** How far a single line extends past the middle, so that the corner has no notch. */
function reachOf(above: Weight, below: Weight): number {
  const widest = Math.max(above, below)
  return widest === 0 || widest === 1 ? 0 : apart
}

function turnOf(same: Weight, other: Weight): number {
  if (same === 3) return -apart
  if (same === 0 && other === 3) return apart
  return 0
}

/** Offset from the middle, and thickness. */
function strokesOf(weight: Weight): readonly (readonly [number, number])[] {
  switch (weight) {
    case 0:
      return []
    case 1:
      return [[0, light]]
    case 2:
      return [[-1, heavy]]
    case 3:
      return [
        [-apart, light],
        [apart, light],
      ]
  }
}

function drawDashes(context: SKRSContext2D, arms: Arms, count: number, { x, y, width, height }: Area): void {
  const isHorizontal = arms.left > 0
  const [[offset, thickness]] = strokesOf(isHorizontal ? arms.left : arms.up) as [readonly [number, number]]
  const length = isHorizontal ? width : height
  for (let dash = 0; dash < count; dash++) {
    const from = Math.round((dash * length) / count)
    const to = Math.max(
      from + 1,
      Math.round(((dash + 1) * length) / count) - Math.max(1, Math.round(length / count / 3)),
    )
    if (isHorizontal) context.fillRect(x + from, y + Math.floor(height / 2) + offset, to - from, thickness)
    else context.fillRect(x + Math.floor(width / 2) + offset, y + from, thickness, to - from)
  }
}

/** A quarter circle with straight ends to the edges. */
function drawArc(context: SKRSContext2D, { left, up }: Arms, { x, y, width, height }: Area): void {
  // In the middle of the pixels that straight lines fill.
  const middleX = x + Math.floor(width / 2) + light / 2
  const middleY = y + Math.floor(height / 2) + light / 2
  const edgeX = left ? x : x + width
  const edgeY = up ? y : y + height
  // One less than would fit: the pixel at the edge must be as full as that of its neighbour.
  const radius = Math.floor(width / 2) - 1
  context.lineWidth = light
  context.beginPath()
  context.moveTo(edgeX, middleY)
  context.arcTo(middleX, middleY, middleX, edgeY, radius)
  context.lineTo(middleX, edgeY)
  context.stroke()
}

function drawDiagonals(context: SKRSContext2D, code: number, { x, y, width, height }: Area): void {
  context.lineWidth = light
  context.beginPath()
  if (code !== 0x2572) {
    context.moveTo(x + width, y)
    context.lineTo(x, y + height)
  }
  if (code !== 0x2571) {
    context.moveTo(x, y)
    context.lineTo(x + width, y + height)
  }
  context.stroke()
}
