/** Checks the nesting of a text before it is parsed: a few thousand brackets keep the YAML parser busy for seconds. */
import { Lexer } from 'yaml'

const maxNesting = 100

/**
 * The line where the nesting is too deep; `undefined` if it is not. Indentation is not counted: nesting by indentation
 * needs text that grows with the square of the depth, so the size limit bounds it.
 */
export function lineOfDeepNesting(source: string): number | undefined {
  let line = 1
  let brackets = 0
  let marks = 0
  for (const token of new Lexer().lex(source)) {
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    else if (token === '-' || token === '?') marks++
    if (brackets + marks > maxNesting) return line
    if (!token.includes('\n')) continue
    line += token.split('\n').length - 1
    marks = 0
  }
  return undefined
}
