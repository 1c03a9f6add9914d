/** How many columns a text takes on a terminal, where a character may take none, one or two. */
/** Made when it is first needed: that takes longer than all else in most commands. */
let segmenter: Intl.Segmenter | undefined
const segmentsOf = (text: string) => (segmenter ??= new Intl.Segmenter()).segment(text)

export function widthOf(text: string): number {
  if (isPlain.test(text)) return text.length
  return [...segmentsOf(text)].reduce((sum, { segment }) => sum + widthOfCharacter(segment), 0)
}

/** With an ellipsis where something is missing. */
export function cutToWidth(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${clipToWidth(text, width - 1)}…`
}

/** As much of it as fits. */
export function clipToWidth(text: string, width: number): string {
  if (isPlain.test(text)) return text.slice(0, width)
  let clipped = ''
  let taken = 0
  for (const { segment } of segmentsOf(text)) {
    taken += widthOfCharacter(segment)
    if (taken > width) break
    clipped += segment
  }
  return clipped
}

function widthOfCharacter(character: string): number {
  if (isInvisible.test(character)) return 0
  return isWide.test(character) ? 2 : 1
}

const isPlain = /^[ -~]*$/
const isInvisible = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u
/** Emoji, and the blocks of East Asian writing that fonts draw in double width. */
const isWide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
