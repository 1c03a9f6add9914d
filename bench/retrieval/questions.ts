/** The questions, and the files that answer them. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'

export const halves = ['tune', 'final'] as const
/** The ranking may be tuned on one half. The reported figures are those of the other half. */
export type Half = (typeof halves)[number]

export interface Question {
  readonly repository: string
  readonly half: Half
  readonly kind: string
  readonly question: string
  /** Paths of one to three files. */
  readonly gold: readonly string[]
}

const lineSchema = z.strictObject({
  kind: z.enum(['behaviour', 'architecture', 'error', 'symbol', 'tests', 'docs']),
  question: z.string(),
  gold: z.array(z.string()).min(1).max(3),
})

export function readQuestions(repository: string): readonly Question[] {
  const file = new URL(`questions/${repository}.jsonl`, import.meta.url)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line, index) => ({ repository, half: halfOf(index), ...lineSchema.parse(JSON.parse(line)) }))
}

/** The first line of a file is for tuning, the second for the final figures, and so on. */
function halfOf(index: number): Half {
  return index % 2 === 0 ? 'tune' : 'final'
}
