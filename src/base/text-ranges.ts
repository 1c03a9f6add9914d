/** Parts of a text, by index: `[start, end)`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** The text with every range replaced; ranges may overlap and come in any order. */
export function replaceRanges(text: string, ranges: readonly TextRange[], replacement: string): string {
  let result = ''
  let position = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= position) continue
    // An overlapping range only makes the hole longer.
    if (start >= position && end > start) result += text.slice(position, start) + replacement
    position = end
  }
  return result + text.slice(position)
}
