/** Asks every system every question, in turns, so that other load on the machine affects all of them. */
import { meanScores, type Scores, scoresOf } from './metrics.ts'
import { type Half, type Question, readQuestions } from './questions.ts'
import type { BenchRepository } from './repositories.ts'
import type { System } from './system.ts'

export interface SystemResults {
  readonly name: string
  readonly indexSeconds: number
  readonly answers: readonly Answer[]
}

export interface Answer {
  readonly question: Question
  readonly ranked: readonly string[]
  readonly scores: Scores
  readonly ms: number
}

export interface MeasureOptions {
  readonly half: Half | undefined
  readonly among: readonly BenchRepository[]
}

export async function measure(
  systems: readonly System[],
  { half, among }: MeasureOptions,
): Promise<readonly SystemResults[]> {
  const results = systems.map(({ name }) => ({ name, indexSeconds: 0, answers: [] as Answer[] }))
  for (const repository of among) {
    process.stderr.write(`${repository.name}: index`)
    for (const [index, system] of systems.entries()) {
      const startedAt = performance.now()
      await system.index(repository)
      results[index]!.indexSeconds += (performance.now() - startedAt) / 1000
    }
    process.stderr.write(', search\n')
    const questions = readQuestions(repository.name).filter((each) => half === undefined || each.half === half)
    await warmUp(systems, repository)
    for (const [round, question] of questions.entries()) {
      for (const offset of systems.keys()) {
        const index = (round + offset) % systems.length
        results[index]!.answers.push(await ask(systems[index]!, repository, question))
      }
    }
    process.stderr.write(`  ${results.map((result) => tuningGain(result, repository)).join(', ')}\n`)
  }
  return results
}

/** Progress shows only the half that is for tuning. */
function tuningGain({ name, answers }: SystemResults, repository: BenchRepository): string {
  const own = answers.filter(({ question }) => question.half === 'tune' && question.repository === repository.name)
  return own.length === 0 ? name : `${name} ${meanScores(own.map(({ scores }) => scores)).ndcg10.toFixed(2)}`
}

/** A question that is not counted: it opens files and loads code. */
async function warmUp(systems: readonly System[], repository: BenchRepository): Promise<void> {
  for (const system of systems) await system.search(repository, 'main entry point')
}

async function ask(system: System, repository: BenchRepository, question: Question): Promise<Answer> {
  const startedAt = performance.now()
  const ranked = await system.search(repository, question.question)
  const ms = performance.now() - startedAt
  return { question, ranked, scores: scoresOf(ranked, question.gold), ms }
}

export function scoresIn(half: Half, { answers }: SystemResults): Scores {
  return meanScores(answers.filter(({ question }) => question.half === half).map(({ scores }) => scores))
}
