/** A part of a text, by index: `[start, end)`. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Replaces every range. Ranges may overlap and come in any order. */
export function replaceRanges(text: string, ranges: readonly TextRange[], replacement: string): string {
  let result = ''
  let position = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= position) continue
    // An overlapping range only extends the part that is replaced.
    if (start >= position && end > start) result += text.slice(position, start) + replacement
    position = end
  }
  return result + text.slice(position)
}

/** The number of characters that the ranges cover. Ranges may overlap. */
export function lengthOfRanges(ranges: readonly TextRange[]): number {
  let length = 0
  let position = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    length += Math.max(0, end - Math.max(start, position))
    position = Math.max(position, end)
  }
  return length
}

/** The name, or the name with a number if it is taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  // Starts at the number of names, because starting at 1 would take quadratic time for many equal names.
  for (let count = taken.size + 1; taken.has(free); count++) free = `${name} (${count})`
  return free
}
