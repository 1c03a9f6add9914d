/** Draws the icons of the installed page. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Path2D, createCanvas } from '@napi-rs/canvas'

/** The logo, on a ground of 20 × 20. */
const track = new Path2D('M1 15.5h18M4.5 15.5 10.5 7H14')
const lamp = { x: 16, y: 7, radius: 3 }

interface Look {
  readonly ground?: string
  readonly line: string
  readonly lamp: string
  /** The part of the width that the logo takes. A launcher may cut off the rest. */
  readonly part: number
}

const icon: Look = { ground: '#18201D', line: '#FFFFFF', lamp: '#3FBF7D', part: 0.56 }
/** For the status bar of a phone, which shows only shapes. */
const badge: Look = { line: '#FFFFFF', lamp: '#FFFFFF', part: 0.9 }

export function drawIcons(directory: string): void {
  for (const size of [192, 512]) writeFileSync(join(directory, `icon-${size}.png`), draw(size, icon))
  writeFileSync(join(directory, 'badge.png'), draw(96, badge))
}

function draw(size: number, look: Look): Buffer {
  const canvas = createCanvas(size, size)
  const context = canvas.getContext('2d')
  if (look.ground !== undefined) {
    context.fillStyle = look.ground
    context.fillRect(0, 0, size, size)
  }
  const scale = (size * look.part) / 20
  const margin = (size - 20 * scale) / 2
  // The logo stands low in its square.
  context.translate(margin, margin - 0.75 * scale)
  context.scale(scale, scale)
  context.strokeStyle = look.line
  context.lineWidth = 2
  context.stroke(track)
  context.fillStyle = look.lamp
  context.beginPath()
  context.arc(lamp.x, lamp.y, lamp.radius, 0, 2 * Math.PI)
  context.fill()
  return canvas.toBuffer('image/png')
}
