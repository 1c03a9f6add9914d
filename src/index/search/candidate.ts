/** A chunk that may answer a question, before it is ranked. */
import type { SQLOutputValue } from 'node:sqlite'
import type { Place } from './place.ts'

export interface Candidate extends Place {
  readonly chunk: number
  readonly isGenerated: boolean
  /** How well its whole file matches, compared with the best file: 0 to 1. */
  readonly documentScore: number
}

export const candidateColumns = `
  chunk.id as chunk, chunk.document, file.path, chunk.start_line, chunk.end_line, chunk.symbol, chunk.kind,
  document.is_generated`

export function toCandidate(row: Record<string, SQLOutputValue>): Candidate {
  return {
    chunk: Number(row['chunk']),
    document: Number(row['document']),
    path: String(row['path']),
    startLine: Number(row['start_line']),
    endLine: Number(row['end_line']),
    symbol: row['symbol'] === null ? undefined : String(row['symbol']),
    kind: row['kind'] === null ? undefined : String(row['kind']),
    isGenerated: row['is_generated'] === 1,
    score: Number(row['score']),
    documentScore: 0,
  }
}
