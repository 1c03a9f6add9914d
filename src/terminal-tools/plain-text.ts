/**
 * The output of a program as plain text: without escape codes, with blanks for cursor moves to the right and line
 * breaks for other moves. Only the screen knows the layout, but this text loses nothing.
 */
import { StringDecoder } from 'node:string_decoder'

export interface PlainText {
  /** The text of these bytes. An incomplete sequence or character waits for its rest. */
  take(bytes: Buffer): string
}

const maxBlanks = 500
/** Limit for an incomplete string (a title, a picture) that waits for its end. */
const maxPending = 4096

export function createPlainText(): PlainText {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  return {
    take(bytes) {
      const text = pending + decoder.write(bytes)
      const end = unfinished.exec(text)?.index ?? text.length
      pending = text.slice(end)
      if (pending.length > maxPending) pending = pending.slice(0, 2)
      return text.slice(0, end).replaceAll(control, toPlain)
    },
  }
}

// In this order: control sequences, strings with an end, other escapes, line endings, other control characters.
const control =
  // oxlint-disable-next-line no-control-regex
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*([0-~])|(\r+\n?)|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

const unfinished =
  // oxlint-disable-next-line no-control-regex
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[\]PX^_][^\x07\x1b]*\x1b?|\x1b[ -/]*|(?<!\r)\r+)$/

function toPlain(_all: string, numbers?: string, final?: string, escape?: string, lineEnd?: string): string {
  if (lineEnd !== undefined) return '\n'
  if (escape !== undefined) return 'DEM'.includes(escape) ? '\n' : ''
  if (final === undefined) return ''
  if (final === 'C') return ' '.repeat(Math.min(Number.parseInt(numbers ?? '', 10) || 1, maxBlanks))
  return 'ABEFGHdf`'.includes(final) ? '\n' : ''
}
