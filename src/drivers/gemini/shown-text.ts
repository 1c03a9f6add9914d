/** Compares a text with the rows of a frame on the screen, in which it may be wrapped. */

/** Gemini CLI may wrap this many columns before the frame ends. */
const margin = 6

/**
 * Whether the rows show exactly this text. Spaces and line ends count: in `ls # rm x`, `rm` is part of a comment, and on a
 * line of its own it is a command.
 */
export function showsText(rows: readonly string[], text: string): boolean {
  let next = 0
  for (const line of text.trim().split('\n')) {
    // Spaces at the end of a line do not show, and a tab shows as spaces.
    if (/\s$|\t/.test(line)) return false
    const used = rowsOf(rows.slice(next), line)
    if (used === undefined) return false
    next += used
  }
  return next === rows.length
}

/** How many rows show the line. `undefined`: they show something else. */
function rowsOf(rows: readonly string[], line: string): number | undefined {
  let rest = line
  for (const [index, row] of rows.entries()) {
    const shown = row.trimEnd()
    if (!rest.startsWith(shown)) return undefined
    rest = rest.slice(shown.length)
    if (rest === '') return index + 1
    const word = /^ ?\S*/.exec(rest)?.[0] ?? ''
    // A line that ends early was not wrapped.
    if (shown.length + word.length <= row.length - margin) return undefined
    if (rest.startsWith(' ') && !rows[index + 1]?.startsWith(' ')) rest = rest.slice(1)
  }
  return undefined
}
