/** Cuts text to the columns of a terminal, where a character takes zero, one or two columns. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Both are loaded on first use, because that takes longer than most commands. */
let stringWidth: typeof import('string-width').default | undefined
let segmenter: Intl.Segmenter | undefined

/** ASCII, and the symbols of our own tables. */
const isPlain = /^[ -~·–…→○●◆]*$/

export function widthOf(text: string): number {
  if (isPlain.test(text)) return text.length
  stringWidth ??= (require('string-width') as typeof import('string-width')).default
  return stringWidth(text)
}

/** Ends with an ellipsis if text was cut. */
export function cutToWidth(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${clipToWidth(text, width - 1)}…`
}

/** Keeps as many characters as fit. */
export function clipToWidth(text: string, width: number): string {
  if (isPlain.test(text)) return text.slice(0, width)
  segmenter ??= new Intl.Segmenter()
  let clipped = ''
  let taken = 0
  for (const { segment } of segmenter.segment(text)) {
    taken += widthOf(segment)
    if (taken > width) break
    clipped += segment
  }
  return clipped
}
