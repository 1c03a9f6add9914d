/**
 * Regular expressions that people and agents write, on an engine without backtracking. A match takes at most about 35 ns
 * for each step of the compiled pattern and character of the text, so limits on both limit the time. Only this file
 * imports the engine, and only on first use.
 */
import { HubError, messageOf } from './hub-error.ts'

export interface Pattern {
  readonly source: string
  /** Steps of the compiled pattern. Repetitions are expanded: `a{100}` has about 100. */
  readonly size: number
  /** Character classes that ignore case. They take the longest to compile. */
  readonly foldedClasses: number
  test(text: string): boolean
  /** The named groups of the first match; `undefined` if there is no match. */
  capture(text: string): Readonly<Record<string, string>> | undefined
  /** The matches that are not empty, from left to right. */
  matchesIn(text: string): Generator<Match>
}

export interface Match {
  readonly start: number
  readonly end: number
}

const maxLength = 1_000
const maxSize = 500
/** Each takes up to 5 ms to compile, because every character of a wide range is looked up. */
const maxFoldedClasses = 30
/** A pattern whose estimated size is far above `maxSize` is not compiled at all: compiling alone would take long. */
const maxEstimate = 20 * maxSize
/**
 * The engine caches states, up to 8 MB per pattern. Some patterns reach a new state with each character. For these,
 * building states costs far more than it saves, so the cache is given up early.
 */
const stateBytes = 256 * 1024

/** Throws a `HubError` that says what to simplify. */
export async function compilePattern(source: string, options: { readonly ignoreCase: boolean }): Promise<Pattern> {
  if (source.length > maxLength) {
    throw new HubError('invalid', `The pattern has ${source.length} characters; at most ${maxLength} are allowed.`)
  }
  const { size: estimate, classes } = measure(source)
  const foldedClasses = options.ignoreCase || /\(\?[a-zA-Z]*i/.test(source) ? classes : 0
  if (foldedClasses > maxFoldedClasses) {
    throw new HubError(
      'invalid',
      `The pattern has ${classes} character classes; at most ${maxFoldedClasses} are allowed where case does not matter.`,
    )
  }
  if (estimate > maxEstimate) throw tooComplex(estimate)
  const { RE2JS } = await import('re2js')
  const compiled = compile(() => RE2JS.compile(source, options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
  const size = compiled.programSize()
  if (size > maxSize) throw tooComplex(size)
  const { dfa } = compiled.re2Input
  dfa.stateBudget = stateBytes
  dfa.memBudget = stateBytes
  return {
    source,
    size,
    foldedClasses,
    test: (text) => compiled.test(text),
    capture(text) {
      if (!compiled.test(text)) return undefined
      const matcher = compiled.matcher(text)
      matcher.find()
      return Object.fromEntries(Object.keys(compiled.namedGroups()).map((name) => [name, matcher.group(name) ?? '']))
    },
    *matchesIn(text) {
      // Finding where it matches takes many times longer than finding whether it matches.
      if (!compiled.test(text)) return
      const matcher = compiled.matcher(text)
      while (matcher.find()) if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() }
    },
  }
}

function tooComplex(steps: number): HubError {
  return new HubError(
    'invalid',
    `The pattern expands to ${steps} steps; at most ${maxSize} are allowed. Lower its repetition counts, such as {900}, or leave them out.`,
  )
}

function compile<Compiled>(run: () => Compiled): Compiled {
  try {
    return run()
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, '')
    throw new HubError(
      'invalid',
      `The pattern is not a regular expression of the RE2 kind (without look-around and back-references): ${reason}.`,
      { cause: error },
    )
  }
}

/** An escape, a class, a repetition count, or one character. */
const tokens = /\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gsu

/** Estimates the compiled size without compiling. */
function measure(source: string): { readonly size: number; readonly classes: number } {
  const groups = [0]
  let last = 0
  let classes = 0
  const add = (size: number) => groups.push((groups.pop() ?? 0) + size)
  for (const [token] of source.matchAll(tokens)) {
    if (/^(\[.|\\[pP])/s.test(token)) classes++
    if (token === '(') {
      groups.push(0)
    } else if (token === ')') {
      last = groups.length > 1 ? groups.pop()! : 0
      add(last)
    } else if (token.length > 1 && token.startsWith('{')) {
      const count = Math.max(...token.match(/\d+/g)!.map(Number))
      add(last * (count - 1))
    } else {
      last = 1
      add(1)
    }
  }
  return { size: groups.reduce((sum, size) => sum + size), classes }
}
