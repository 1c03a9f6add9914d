/** Whether a text, or a match of a pattern, is on a screen or in what is printed. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Pattern, Screen, Terminal } from '../terminal/terminal.ts'
import { readDrawn } from './drawn-output.ts'
import { createPlainText } from './plain-text.ts'

export interface Matcher {
  isIn(text: string): boolean
  /** How much of what was searched in vain may be the beginning of a match. */
  restOf(text: string): string
}

export function matchText(value: string): Matcher {
  return {
    isIn: (text) => text.includes(value),
    restOf: (text) => text.slice(Math.max(0, text.length - value.length + 1)),
  }
}

/** A line that has no end yet is bounded too. */
const maxLineLength = 16 * 1024

/** Line by line, so that `^` and `$` are what people expect. */
export function matchPattern(pattern: Pattern): Matcher {
  return {
    isIn: (text) => text.split('\n').some((line) => pattern.test(line)),
    restOf: (text) => text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - maxLineLength)),
  }
}

/** Rows that were wrapped are one line. A program that fills its rows with blanks does not mean them; a prompt does. */
export function isOnScreen(matcher: Matcher, screen: Screen): boolean {
  const printed = linesOf(screen)
  return matcher.isIn(printed) || matcher.isIn(printed.replaceAll(/ +$/gm, ''))
}

function linesOf(screen: Screen): string {
  return screen
    .rows()
    .map((row, index) => (index === 0 || row.isWrapped ? '' : '\n') + row.printedText)
    .join('')
}

const sliceBytes = 64 * 1024

/** Follows the output from `since` on. Answers whether there was a match in what has come since it was last asked. */
export function followOutput(terminal: Terminal, matcher: Matcher, since: number): () => Promise<boolean> {
  let next = since
  let plain = createPlainText()
  let rest = ''
  return async () => {
    for (;;) {
      const { offset, bytes } = readDrawn(terminal, next, sliceBytes)
      if (bytes.length === 0) return false
      if (offset > next) {
        // What lies between is lost: two ends that never met are no match.
        plain = createPlainText()
        rest = ''
      }
      next = offset + bytes.length
      const text = rest + plain.take(bytes)
      if (matcher.isIn(text)) return true
      rest = matcher.restOf(text)
      // Others have their turn while this catches up.
      await turn()
    }
  }
}
