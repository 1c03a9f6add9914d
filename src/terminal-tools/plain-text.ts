/**
 * What a program printed, as one would write it down: escape codes left out, blanks where the cursor was moved to the
 * right, a new line where it was moved elsewhere. Only the screen knows what it looked like; this forgets nothing.
 */
import { StringDecoder } from 'node:string_decoder'

export interface PlainText {
  /** The text of these bytes, as far as it is certain: a sequence or character that is not whole waits for its rest. */
  take(bytes: Buffer): string
}

const maxBlanks = 500
/** What is held back of a string that does not end (a title, a picture) is cut to this. */
const maxHeld = 4096

export function createPlainText(): PlainText {
  const decoder = new StringDecoder('utf8')
  let held = ''
  return {
    take(bytes) {
      const text = held + decoder.write(bytes)
      const end = unfinished.exec(text)?.index ?? text.length
      held = text.slice(end)
      if (held.length > maxHeld) held = held.slice(0, 2)
      return text.slice(0, end).replaceAll(control, toPlain)
    },
  }
}

// In this order: control sequences, strings with an end, other escapes, the end of a line, other control characters.
const control =
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*([0-~])|(\r+\n?)|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

const unfinished =
  // oxlint-disable-next-line no-control-regex
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[\]PX^_][^\x07\x1b]*\x1b?|\x1b[ -/]*|\r+)$/

function toPlain(_all: string, numbers?: string, final?: string, escape?: string, lineEnd?: string): string {
  if (lineEnd !== undefined) return '\n'
  if (escape !== undefined) return 'DEM'.includes(escape) ? '\n' : ''
  if (final === undefined) return ''
  if (final === 'C') return ' '.repeat(Math.min(Number.parseInt(numbers ?? '', 10) || 1, maxBlanks))
  return 'ABEFGHdf`'.includes(final) ? '\n' : ''
}
