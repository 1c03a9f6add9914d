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

/** How many characters they cover; ranges may overlap. */
export function lengthOfRanges(ranges: readonly TextRange[]): number {
  let length = 0
  let position = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    length += Math.max(0, end - Math.max(start, position))
    position = Math.max(position, end)
  }
  return length
}

/** The name, or one like it that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  // From their number on, or many equal names would take the square of it.
  for (let count = taken.size + 1; taken.has(free); count++) free = `${name} (${count})`
  return free
}
