/**
 * A pattern that an agent chose, for text that an agent prints. It is matched in a worker with a time limit, so that a
 * slow match never blocks the hub.
 */
import { HubError } from '../base/hub-error.ts'
import type { Match } from '../base/pattern.ts'
import { compilePattern } from '../base/pattern.ts'
import { siblingModule } from '../base/sibling-module.ts'
import { createWorker } from '../base/worker.ts'

export interface UntrustedPattern {
  isInOneOf(texts: readonly string[]): Promise<boolean>
  /** The non-empty matches in each text. */
  matchesIn(texts: readonly string[]): Promise<readonly (readonly Match[])[]>
}

export interface PatternQuestion {
  readonly source: string
  readonly texts: readonly string[]
  readonly wants: 'whether' | 'where'
}

/** The matches of each text, up to the first text with one or for all texts. `undefined`: it took too long. */
export type PatternAnswer = readonly (readonly Match[])[] | undefined

const worker = createWorker<PatternQuestion>({
  module: siblingModule('pattern-worker', import.meta.url),
  memoryMb: 64,
})

export async function compileUntrustedPattern(source: string): Promise<UntrustedPattern> {
  // Compiled here first, where an invalid pattern can be reported.
  await compilePattern(source, { ignoreCase: false })

  async function ask(question: Omit<PatternQuestion, 'source'>): Promise<NonNullable<PatternAnswer>> {
    const answer = await worker.ask<PatternAnswer>({ source, ...question })
    if (answer) return answer
    throw new HubError(
      'invalid',
      "The pattern takes too long on this terminal's text. Write a simpler one: shorter, or with fewer repetitions.",
    )
  }

  return {
    isInOneOf: async (texts) => (await ask({ texts, wants: 'whether' })).some((matches) => matches.length > 0),
    matchesIn: (texts) => ask({ texts, wants: 'where' }),
  }
}
