/**
 * What others wrote, as it may be shown on a terminal: nothing in it moves the cursor, changes colours, is invisible or
 * turns the order of what is read. A person decides by what they see here.
 */
export function shownText(text: string): string {
  return text.replaceAll(unshown, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** The same of several lines, set apart from ours. */
export function indentedLines(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${shownText(line.replaceAll('\t', '  ').trimEnd())}`.trimEnd())
}

/** Controls, separators that break lines, what has no width or a direction of its own, and halves of characters. */
const unshown = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu
