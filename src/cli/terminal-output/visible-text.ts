/**
 * Escapes foreign text for a terminal. The result cannot move the cursor, change colours, hide characters or reverse the
 * reading order: a person decides by the text they see here.
 */
export function visibleText(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Escapes each line and keeps the line breaks. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}

/** Escapes each line and indents it, to set foreign text apart from ours. */
export function indentedLines(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${visibleText(line.replaceAll('\t', '  ').trimEnd())}`.trimEnd())
}

/** Control and format characters, line and paragraph separators, lone surrogates, private and unassigned code points. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu
