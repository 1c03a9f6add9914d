/** Splits a question into words and phrases. */
import { queryPhrases, queryWords } from '../text/tokens.ts'

export interface LexicalQuery {
  readonly text: string
  readonly words: readonly string[]
  /** Pairs of words that follow each other in the question, with a small word between them at most. */
  readonly phrases: readonly string[]
}

/** A longer question repeats itself, and each word costs time. */
const maxWords = 40

export function toLexicalQuery(text: string): LexicalQuery {
  return {
    text,
    words: queryWords(text).slice(0, maxWords),
    phrases: queryPhrases(text).slice(0, maxWords),
  }
}
