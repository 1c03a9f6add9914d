/** Paints a picture of a screen, cell by cell, so that the grid holds whatever the fonts say. */
import type { SKRSContext2D } from '@napi-rs/canvas'
import { createCanvas } from '@napi-rs/canvas'
import type { Look } from '../screen.ts'
import { fontFor, registerFonts } from './fonts.ts'
import type { Glyph, Patch, Picture } from './picture.ts'
import { cell, margin, pictureSize } from './picture.ts'
import type { Area } from './shapes.ts'
import { drawShape } from './shapes.ts'

registerFonts()

export function paint(picture: Picture): Buffer {
  const { width, height } = pictureSize(picture.size)
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = picture.colours.background
  context.fillRect(0, 0, width, height)
  context.textBaseline = 'alphabetic'
  // All grounds first: a glyph may reach into the next cell.
  eachPatch(picture, (patch, row) => paintGround(context, patch, row, picture))
  eachPatch(picture, (patch, row) => paintInk(context, patch, row, inkOf(patch.look, picture)))
  paintCursor(context, picture)
  return canvas.toBuffer('image/png')
}

function eachPatch({ rows }: Picture, visit: (patch: Patch, row: number) => void): void {
  for (const [row, patches] of rows.entries()) for (const patch of patches) visit(patch, row)
}

function areaOf(row: number, column: number, columns: number): Area {
  return {
    x: margin + column * cell.width,
    y: margin + row * cell.height,
    width: columns * cell.width,
    height: cell.height,
  }
}

function paintGround(context: SKRSContext2D, { column, width, look }: Patch, row: number, picture: Picture): void {
  const ground = groundOf(look, picture)
  if (ground === picture.colours.background) return
  const area = areaOf(row, column, width)
  context.fillStyle = ground
  context.fillRect(area.x, area.y, area.width, area.height)
}

function paintInk(context: SKRSContext2D, { column, width, look, glyphs }: Patch, row: number, ink: string): void {
  if (look.invisible) return
  context.fillStyle = ink
  context.strokeStyle = ink
  context.globalAlpha = look.dim ? 0.5 : 1
  for (const glyph of glyphs) paintGlyph(context, glyph, row, look)
  const area = areaOf(row, column, width)
  if (look.underline) context.fillRect(area.x, area.y + underlineAt, area.width, 1)
  if (look.struck) context.fillRect(area.x, area.y + strikeAt, area.width, 1)
  context.globalAlpha = 1
}

/** From the top of the cell. */
const baseline = 15
const underlineAt = 17
const strikeAt = 10

function paintGlyph(context: SKRSContext2D, { text, column, width }: Glyph, row: number, look: Look): void {
  const area = areaOf(row, column, width)
  if (drawShape(context, text, area)) return
  const font = fontFor(text, width, look)
  // To set a font takes longer than to draw with it.
  if (context.font !== font) context.font = font
  // A joiner at the end waits for a part that stands in a cell of its own.
  const shown = text.replace(/\u200d$/, '')
  const isPlain = shown.length === 1 && shown < '\u0300'
  const natural = isPlain ? cell.width : context.measureText(shown).width
  const left = Math.max(0, (area.width - natural) / 2)
  context.fillText(shown, area.x + left, area.y + baseline, area.width)
}

function paintCursor(context: SKRSContext2D, picture: Picture): void {
  const { cursor, colours } = picture
  if (!cursor) return
  const glyph = glyphAt(picture, cursor.row, cursor.column)
  const area = areaOf(cursor.row, cursor.column, glyph?.width ?? 1)
  context.fillStyle = colours.cursor
  switch (cursor.shape) {
    case 'underline':
      return context.fillRect(area.x, area.y + area.height - 2, area.width, 2)
    case 'bar':
      return context.fillRect(area.x, area.y, 2, area.height)
    case 'block':
      context.fillRect(area.x, area.y, area.width, area.height)
      if (!glyph) return
      context.fillStyle = colours.background
      context.strokeStyle = colours.background
      return paintGlyph(context, glyph, cursor.row, glyph.look)
  }
}

function glyphAt({ rows }: Picture, row: number, column: number): (Glyph & { readonly look: Look }) | undefined {
  for (const { glyphs, look } of rows[row] ?? []) {
    const found = glyphs.find((glyph) => glyph.column === column)
    if (found) return { ...found, look }
  }
  return undefined
}

function inkOf(look: Look, { colours }: Picture): string {
  return look.reverse ? or(look.background, colours.background) : or(look.foreground, colours.foreground)
}

function groundOf(look: Look, { colours }: Picture): string {
  return look.reverse ? or(look.foreground, colours.foreground) : or(look.background, colours.background)
}

function or(colour: string, usual: string): string {
  return colour === 'default' ? usual : colour
}
