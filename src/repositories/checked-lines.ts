/**
 * A text that grows, passed on line by line: each line only after its citations were checked. So a reader never sees a
 * citation that the answer does not have.
 */
export interface CheckedLines {
  /** Takes the whole text so far. */
  grow(text: string): void
  /** Takes the rest. Resolves with the checked text when all of it was passed on. */
  finish(text: string): Promise<string>
}

export function createCheckedLines(
  check: (text: string) => Promise<string>,
  onText: (text: string) => void,
): CheckedLines {
  let taken = 0
  let checked = ''
  let last: Promise<void> = Promise.resolve()

  function take(text: string, end: number): void {
    if (end <= taken) return
    const piece = text.slice(taken, end)
    taken = end
    last = last.then(async () => {
      const right = await check(piece)
      checked += right
      onText(right)
    })
    // `finish` reports a failure.
    last.catch(() => {})
  }

  return {
    grow: (text) => take(text, endOfLines(text, taken)),
    async finish(text) {
      take(text, text.length)
      await last
      return checked
    },
  }
}

/** A code block stays whole: the check does not look inside, and must see where it ends. */
function endOfLines(text: string, from: number): number {
  let end = from
  let isInFence = false
  for (let begin = from, next = text.indexOf('\n', from); next !== -1; next = text.indexOf('\n', begin)) {
    if (/^[ \t]*(?:```|~~~)/.test(text.slice(begin, next))) isInFence = !isInFence
    begin = next + 1
    if (!isInFence) end = begin
  }
  return end
}
