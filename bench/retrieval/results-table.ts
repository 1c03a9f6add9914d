/** The tables in docs/benchmarks.md. */
import { loadavg } from 'node:os'
import { machine, percentile } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'
import { type SystemResults, scoresIn } from './measure.ts'
import { type Half, halves } from './questions.ts'
import { repositories } from './repositories.ts'
import { type ScaleFigures, scaleTable } from './scale/measure-scale.ts'

const heading = ['system', 'recall@1', '@5', '@10', 'MRR', 'nDCG@10', 'p50 ms', 'p99 ms', 'index s']

const titles: Readonly<Record<Half, string>> = {
  final: 'The half of the questions that was kept for the final run:',
  tune: 'The half that the ranking was tuned on:',
}

export function questionsReport(results: readonly SystemResults[]): string {
  const asked = results[0]!.answers.map(({ question }) => question)
  const shown = halves.filter((half) => asked.some((question) => question.half === half))
  const searched = repositories.filter(({ name }) => asked.some(({ repository }) => repository === name))
  const names = searched.map(({ name, version }) => `${name} ${version}`)
  return [
    ...shown.toReversed().flatMap((half) => [titles[half], retrievalTable(half, results), ratios(half, results)]),
    `${asked.length} questions about ${searched.length} repositories: ${names.join(', ')}. The systems answer each question in turns.`,
    machineLine(),
  ].join('\n\n')
}

/** The last system compared with the others. */
function ratios(half: Half, results: readonly SystemResults[]): string {
  const gains = results.map((result) => ({ name: result.name, ndcg10: scoresIn(half, result).ndcg10 }))
  const last = gains.at(-1)!
  const parts = gains.slice(0, -1).map(({ name, ndcg10 }) => `${(last.ndcg10 / ndcg10).toFixed(2)} × that of "${name}"`)
  return `nDCG@10 of ${last.name} is ${parts.join(', ')}.`
}

export function scaleReport(results: readonly ScaleFigures[]): string {
  return [scaleTable(results), machineLine()].join('\n\n')
}

function machineLine(): string {
  return `${machine()}, load ${loadavg()[0]?.toFixed(1)} at the end.`
}

function retrievalTable(half: Half, results: readonly SystemResults[]): string {
  const cells = results.map((result) => {
    const scores = scoresIn(half, result)
    const ms = result.answers.filter(({ question }) => question.half === half).map((answer) => answer.ms)
    const { recall1, recall5, recall10, reciprocalRank, ndcg10 } = scores
    return [
      result.name,
      ...[recall1, recall5, recall10, reciprocalRank, ndcg10].map((score) => score.toFixed(3)),
      percentile(ms, 0.5).toFixed(1),
      percentile(ms, 0.99).toFixed(1),
      result.indexSeconds < 0.1 ? '' : result.indexSeconds.toFixed(0),
    ]
  })
  return markdownTable([heading, ...cells], 1).join('\n')
}
