/** Paints a screen cell by cell, so that the grid does not depend on font metrics. */
import type { SKRSContext2D } from '@napi-rs/canvas'
import { createCanvas } from '@napi-rs/canvas'
import type { CellStyle } from '../screen/screen-rows.ts'
import type { Area } from './area.ts'
import { joinClusters } from './clusters.ts'
import { fontFor, registerFonts } from './fonts.ts'
import type { Glyph, Patch, Picture } from './picture.ts'
import { cell, margin, pictureSize } from './picture.ts'
import { drawShape } from './shapes.ts'

registerFonts()

export function paint(screen: Picture): Buffer {
  const picture = withClusters(screen)
  const { width, height } = pictureSize(picture.size)
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = picture.colours.background
  context.fillRect(0, 0, width, height)
  context.textBaseline = 'alphabetic'
  // All backgrounds first, since a glyph may reach into the next cell.
  eachPatch(picture, (patch, row) => paintBackground(context, patch, row, picture))
  eachPatch(picture, (patch, row) => paintText(context, patch, row, textColourOf(patch.style, picture)))
  paintCursor(context, picture)
  return canvas.toBuffer('image/png')
}

/** This is done here, because it takes long for a large screen and the worker has the time. */
function withClusters(picture: Picture): Picture {
  const rows = picture.rows.map((patches) => patches.map((patch) => ({ ...patch, glyphs: joinClusters(patch.glyphs) })))
  return { ...picture, rows }
}

function eachPatch({ rows }: Picture, action: (patch: Patch, row: number) => void): void {
  for (const [row, patches] of rows.entries()) for (const patch of patches) action(patch, row)
}

function areaOf(row: number, column: number, columns: number): Area {
  return {
    x: margin + column * cell.width,
    y: margin + row * cell.height,
    width: columns * cell.width,
    height: cell.height,
  }
}

function paintBackground(context: SKRSContext2D, { column, width, style }: Patch, row: number, picture: Picture): void {
  const background = backgroundOf(style, picture)
  if (background === picture.colours.background) return
  const area = areaOf(row, column, width)
  context.fillStyle = background
  context.fillRect(area.x, area.y, area.width, area.height)
}

function paintText(context: SKRSContext2D, { column, width, style, glyphs }: Patch, row: number, colour: string): void {
  if (style.invisible) return
  context.fillStyle = colour
  context.strokeStyle = colour
  context.globalAlpha = style.dim ? 0.5 : 1
  for (const glyph of glyphs) paintGlyph(context, glyph, row, style)
  const area = areaOf(row, column, width)
  if (style.underline) context.fillRect(area.x, area.y + underlineAt, area.width, 1)
  if (style.struck) context.fillRect(area.x, area.y + strikeAt, area.width, 1)
  context.globalAlpha = 1
}

/** In pixels from the top of the cell. */
const baseline = 15
const underlineAt = 17
const strikeAt = 10

function paintGlyph(context: SKRSContext2D, { text, column, width }: Glyph, row: number, style: CellStyle): void {
  const area = areaOf(row, column, width)
  if (drawShape(context, text, area)) return
  const font = fontFor(text, width, style)
  // Setting a font takes longer than drawing with it.
  if (context.font !== font) context.font = font
  // A joiner at the end belongs to a part in the next cell.
  const shown = text.replace(/\u200d$/, '')
  const isPlain = shown.length === 1 && shown < '\u0300'
  const natural = isPlain ? cell.width : context.measureText(shown).width
  // A cluster may take more cells than its picture. It stands where its first character would.
  const left = Math.max(0, (Math.min(area.width, 2 * cell.width) - natural) / 2)
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
      return paintGlyph(context, glyph, cursor.row, glyph.style)
  }
}

function glyphAt({ rows }: Picture, row: number, column: number): (Glyph & { readonly style: CellStyle }) | undefined {
  for (const { glyphs, style } of rows[row] ?? []) {
    const found = glyphs.find((glyph) => glyph.column === column)
    if (found) return { ...found, style }
  }
  return undefined
}

function textColourOf(style: CellStyle, { colours }: Picture): string {
  return style.reverse ? or(style.background, colours.background) : or(style.foreground, colours.foreground)
}

function backgroundOf(style: CellStyle, { colours }: Picture): string {
  return style.reverse ? or(style.foreground, colours.foreground) : or(style.background, colours.background)
}

function or(colour: string, usual: string): string {
  return colour === 'default' ? usual : colour
}
