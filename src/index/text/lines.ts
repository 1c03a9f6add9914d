/** The lines of a text. A last line break ends the last line; it does not begin another. */

/** Where each line starts, and the length of the text at the end. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1)
  if (text.length > 0) starts.push(text.length)
  return starts
}

export function lineCount(starts: readonly number[]): number {
  return starts.length - 1
}

/** Both ends are included, and counted from 1. */
export function linesBetween(text: string, starts: readonly number[], start: number, end: number): string {
  return text.slice(starts[start - 1], starts[end])
}
