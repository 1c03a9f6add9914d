/** How deep a text is nested, before anybody builds a tree of it: a few thousand brackets keep the YAML parser busy for seconds. */
import { Lexer } from 'yaml'

const maxNesting = 100

/** The line on which it goes too deep; `undefined` where it does not. Indentation needs no look: depth costs its square. */
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
