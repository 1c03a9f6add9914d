/** How an answer came about, in order: thoughts, searches summed up by file, the answer. */
import type { AnswerSegment, Hit } from '../api/repository.ts'

export interface Segments {
  thought(text: string): void
  found(query: string, hits: readonly Hit[]): void
  answered(text: string): void
  list(): AnswerSegment[]
}

export function createSegments(): Segments {
  const segments: AnswerSegment[] = []
  return {
    thought: (text) => void (text !== '' && segments.push({ type: 'thinking', text })),
    found: (query, hits) => void segments.push({ type: 'vector_summary', query, files: filesOf(hits) }),
    answered: (text) => void segments.push({ type: 'answer', text }),
    list: () => [...segments],
  }
}

type FileSummary = Extract<AnswerSegment, { type: 'vector_summary' }>['files'][number]

function filesOf(hits: readonly Hit[]): FileSummary[] {
  const files = new Map<string, FileSummary>()
  for (const { path, score, start_line: start, end_line: end } of hits) {
    const { match = score, chunks = 0, lines = 0 } = files.get(path) ?? {}
    files.set(path, { path, match: Math.max(match, score), chunks: chunks + 1, lines: lines + end - start + 1 })
  }
  return [...files.values()]
}
