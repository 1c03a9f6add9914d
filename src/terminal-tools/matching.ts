/** Tests whether a text, or a match of a pattern, is on a screen or in the output. */
import { setImmediate as turn } from 'node:timers/promises'
import type { UntrustedPattern, Screen, Terminal } from '../terminal/terminal.ts'
import { readDrawn } from './drawn-output.ts'
import { createPlainText } from './plain-text.ts'

export interface Matcher {
  isIn(text: string): boolean | Promise<boolean>
  /** The end of the searched text that may be the beginning of a match. */
  restOf(text: string): string
}

export function matchText(value: string): Matcher {
  return {
    isIn: (text) => text.includes(value),
    restOf: (text) => text.slice(Math.max(0, text.length - value.length + 1)),
  }
}

/** Limits a line that has no end yet. */
const maxLineLength = 16 * 1024

/** Matches line by line, so that `^` and `$` work as people expect. */
export function matchPattern(pattern: UntrustedPattern): Matcher {
  return {
    isIn: (text) => pattern.isInOneOf(text.split('\n')),
    restOf: (text) => text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - maxLineLength)),
  }
}

/**
 * Joins wrapped rows. Tries with and without trailing blanks: some programs fill rows with blanks, but a prompt has
 * one.
 */
export async function isOnScreen(matcher: Matcher, screen: Screen): Promise<boolean> {
  const printed = linesOf(screen)
  return (await matcher.isIn(printed)) || (await matcher.isIn(withoutTrailingBlanks(printed)))
}

/** Without a regular expression: / +$/ is quadratic on long runs of blanks. */
function withoutTrailingBlanks(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      let end = line.length
      while (line[end - 1] === ' ') end--
      return line.slice(0, end)
    })
    .join('\n')
}

function linesOf(screen: Screen): string {
  return screen
    .rows()
    .map((row, index) => (index === 0 || row.isWrapped ? '' : '\n') + row.printedText)
    .join('')
}

const sliceBytes = 64 * 1024

/** Follows the output from `since`. Each call says whether the output since the last call contains a match. */
export function followOutput(terminal: Terminal, matcher: Matcher, since: number): () => Promise<boolean> {
  let next = since
  let plain = createPlainText()
  let rest = ''
  return async () => {
    for (;;) {
      const { offset, bytes } = readDrawn(terminal, next, sliceBytes)
      if (bytes.length === 0) return false
      if (offset > next) {
        // Output in between is lost, and text before the gap must not match together with text after it.
        plain = createPlainText()
        rest = ''
      }
      next = offset + bytes.length
      const text = rest + plain.take(bytes)
      if (await matcher.isIn(text)) return true
      rest = matcher.restOf(text)
      // Let other work run while this catches up.
      await turn()
    }
  }
}
