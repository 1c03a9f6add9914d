/**
 * Regular expressions of people and agents, on an engine that takes time in proportion to the text whatever the pattern.
 * The one place that imports it, on first use.
 */
import { HubError, messageOf } from '../base/hub-error.ts'

export interface Pattern {
  test(text: string): boolean
  /** What the named groups of its first match caught; `undefined` where there is no match. */
  capture(text: string): Readonly<Record<string, string>> | undefined
  /** The matches that are not empty, from left to right. */
  matchesIn(text: string): Generator<Match>
}

export interface Match {
  readonly start: number
  readonly end: number
}

/** Time also grows with the pattern. */
const maxPatternLength = 1000

export async function compilePattern(source: string, options: { readonly ignoreCase: boolean }): Promise<Pattern> {
  if (source.length > maxPatternLength) {
    throw new HubError('invalid', `The pattern has ${source.length} characters; at most ${maxPatternLength} are taken.`)
  }
  const { RE2JS } = await import('re2js')
  const compiled = compile(() => RE2JS.compile(source, options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
  return {
    test: (text) => compiled.test(text),
    capture(text) {
      if (!compiled.test(text)) return undefined
      const matcher = compiled.matcher(text)
      matcher.find()
      return Object.fromEntries(Object.keys(compiled.namedGroups()).map((name) => [name, matcher.group(name) ?? '']))
    },
    *matchesIn(text) {
      // To learn where it matches takes many times longer than to learn whether.
      if (!compiled.test(text)) return
      const matcher = compiled.matcher(text)
      while (matcher.find()) if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() }
    },
  }
}

function compile<Compiled>(run: () => Compiled): Compiled {
  try {
    return run()
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, '')
    throw new HubError(
      'invalid',
      `The pattern is no regular expression of the RE2 kind (without look-around and back-references): ${reason}.`,
      { cause: error },
    )
  }
}
