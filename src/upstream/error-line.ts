import { quote } from './incoming.ts'

/**
 * Picks the one line of a program's output that says why it ended. Usually that is the last line. But Node ends with
 * its version, npm with the path of its log, and many programs with the stack frames below the error.
 */
export function errorLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const last = lines.findLast((line) => line !== '') ?? ''
  const blamed = npmLine(lines) ?? lineAboveStack(lines) ?? last
  return quote(blamed.replace(/ \{$/, ''), shownCharacters)
}

/** Long enough for paths and addresses, which are often the point of the message. */
const shownCharacters = 300

const footers = [
  /^Node\.js v\d/,
  /^\(Use `node --trace/,
  /^npm (?:error|ERR!) A complete log of this run/,
  /^note: run with `RUST_BACKTRACE/,
]
/** JavaScript and Java, Java, Ruby. Python prints its frames above the error, so they need no rule. */
const frames = [/^at \S/, /^\.\.\. \d+ (?:more|lines matching)/, /^from \S+:\d+:in /]
const errorHeading = /^(?:Uncaught |Caused by: )?[\w$.]*(?:Error|Exception)(?: \[\w+\])?:/
const closingBrace = /^\},?$/

function lineAboveStack(lines: readonly string[]): string | undefined {
  const at = aboveAppendix(lines)
  if (at < 0) return undefined
  const wasCut = frames.some((frame) => frame.test(lines[at + 1] ?? ''))
  // A message of several lines is one paragraph above the frames and starts with its heading.
  const start = lines.lastIndexOf('', at) + 1
  const heading = wasCut ? lines.slice(start, at + 1).find((line) => errorHeading.test(line)) : undefined
  return heading ?? lines[at]
}

/** The last line that is not a footer, not a frame, and not a property that Node prints in braces after an error. */
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

/** npm starts each line with the same words: first codes and paths, then the error, then advice. */
function npmLine(lines: readonly string[]): string | undefined {
  if (!lines.findLast((line) => line !== '')?.startsWith('npm ')) return undefined
  const sentence = /^npm (?:error|ERR!)(?: \S+){4,}/
  return lines.find((line) => sentence.test(line) && !footers.some((footer) => footer.test(line)))
}
