/**
 * Joins the cells of one grapheme cluster to one glyph: a family, a flag, a hand with a skin tone. The emulator counts
 * columns by code point, so such a cluster takes several cells.
 */
import type { Glyph } from './picture.ts'

export function joinClusters(glyphs: readonly Glyph[]): readonly Glyph[] {
  const joined: Glyph[] = []
  for (const glyph of glyphs) {
    const before = joined.at(-1)
    if (before && continues(before, glyph)) joined[joined.length - 1] = join(before, glyph)
    else joined.push(glyph)
  }
  return joined
}

function continues(before: Glyph, { text, column }: Glyph): boolean {
  return before.column + before.width === column && mayContinue.test(text) && isOneCluster(before.text + text)
}

/** Saves the segmenter most of the work. */
const mayContinue = /^[\u0300-\u24ff\u25a0-\u{10ffff}]/u

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

function isOneCluster(text: string): boolean {
  const [first] = segmenter.segment(text)
  return first?.segment.length === text.length
}

function join(before: Glyph, { text, width }: Glyph): Glyph {
  return { ...before, text: before.text + text, width: before.width + width }
}
