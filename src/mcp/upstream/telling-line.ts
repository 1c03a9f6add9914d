import { quote } from './incoming.ts'

/**
 * Of all that a program said before it ended, the one line that says why. Mostly that is the last one; but Node ends
 * with its version, npm with the place of its log, and many with the frames of their stack below the error.
 */
export function tellingLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const last = lines.findLast((line) => line !== '') ?? ''
  const blamed = npmLine(lines) ?? lineAboveStack(lines) ?? last
  return quote(blamed.replace(/ \{$/, ''), shownCharacters)
}

/** Paths and addresses are long, and mostly what it is about. */
const shownCharacters = 300

const footers = [
  /^Node\.js v\d/,
  /^\(Use `node --trace/,
  /^npm (?:error|ERR!) A complete log of this run/,
  /^note: run with `RUST_BACKTRACE/,
]
/** JavaScript and Java, Java, Ruby. Python has its frames above the error, where they are in nobody's way. */
const frames = [/^at \S/, /^\.\.\. \d+ (?:more|lines matching)/, /^from \S+:\d+:in /]
const errorHeading = /^(?:Uncaught |Caused by: )?[\w$.]*(?:Error|Exception)(?: \[\w+\])?:/
const closingBrace = /^\},?$/

function lineAboveStack(lines: readonly string[]): string | undefined {
  const at = aboveAppendix(lines)
  if (at < 0) return undefined
  const wasCut = frames.some((frame) => frame.test(lines[at + 1] ?? ''))
  // A message of several lines stands above the frames as one paragraph, its heading first.
  const start = lines.lastIndexOf('', at) + 1
  const heading = wasCut ? lines.slice(start, at + 1).find((line) => errorHeading.test(line)) : undefined
  return heading ?? lines[at]
}

/** The last line that is neither a footer nor a frame, nor one of the properties that Node prints in braces behind an error. */
function aboveAppendix(lines: readonly string[]): number {
  let depth = 0
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (closingBrace.test(line)) depth++
    else if (depth > 0 && line.endsWith('{')) depth--
    else if (depth > 0) continue
    const isAppendix = line === '' || [closingBrace, ...footers, ...frames].some((form) => form.test(line))
    if (depth === 0 && !isAppendix) return at
  }
  return -1
}

/** npm gives each line the same head: codes and paths first, then what happened, then advice. */
function npmLine(lines: readonly string[]): string | undefined {
  if (!lines.findLast((line) => line !== '')?.startsWith('npm ')) return undefined
  const sentence = /^npm (?:error|ERR!)(?: \S+){4,}/
  return lines.find((line) => sentence.test(line) && !footers.some((footer) => footer.test(line)))
}
