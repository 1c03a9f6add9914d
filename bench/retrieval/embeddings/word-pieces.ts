/** Text as the model reads it: BERT's word pieces, in lower case. */
import { readFileSync } from 'node:fs'
import { vocabularyPath } from './model-files.ts'

/** The cost of a text grows with its length. The first lines of a chunk say most about it. */
export const maxPieces = 128
/** A longer word is unknown to BERT. */
const maxWordLength = 100

export type Pieces = readonly number[]

export function createWordPieces(): (text: string) => Pieces {
  const ids = new Map(
    readFileSync(vocabularyPath, 'utf8')
      .split('\n')
      .map((piece, id) => [piece, id]),
  )
  const idOf = (piece: string) => ids.get(piece) ?? ids.get('[UNK]')!
  return (text) => {
    const pieces: number[] = []
    for (const word of wordsOf(text)) {
      pieces.push(...(piecesOfWord(word, ids) ?? [idOf('[UNK]')]))
      if (pieces.length >= maxPieces - 2) break
    }
    return [idOf('[CLS]'), ...pieces.slice(0, maxPieces - 2), idOf('[SEP]')]
  }
}

function wordsOf(text: string): Iterable<string> {
  // A piece is at least one character, and few words are longer than ten.
  const beginning = text.slice(0, maxPieces * 12).toLowerCase()
  return (
    beginning
      .normalize('NFD')
      .replaceAll(/\p{Mn}/gu, '')
      .match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []
  )
}

/** The longest known beginning, then the longest known beginning of the rest, and so on. */
function piecesOfWord(word: string, ids: ReadonlyMap<string, number>): readonly number[] | undefined {
  if (word.length > maxWordLength) return undefined
  const pieces: number[] = []
  for (let start = 0; start < word.length;) {
    let end = word.length
    const piece = () => (start === 0 ? '' : '##') + word.slice(start, end)
    while (end > start && !ids.has(piece())) end--
    if (end === start) return undefined
    pieces.push(ids.get(piece())!)
    start = end
  }
  return pieces
}
