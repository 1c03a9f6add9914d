/** The answer without a model: the results of the search, as citations. */
import type { Citation, Hit, RepositoryAnswer } from '../api/repository.ts'
import type { IndexedContent } from './repository.ts'
import type { Segments } from './segments.ts'

export function rankedAnswer(
  content: IndexedContent,
  hits: readonly Hit[],
  { segments, whyNot }: { readonly segments: Segments; readonly whyNot: string | undefined },
): RepositoryAnswer {
  const citations = hits.map(({ repository, path, start_line, end_line, symbol, text }): Citation => {
    const host_path = content.hostPathOf(path)
    return { repository, path, start_line, end_line, host_path, ...(symbol !== undefined && { symbol }), text }
  })
  const head =
    hits.length === 0 ? 'The search found nothing.' : 'No model has answered. These are the best matches of a search:'
  const answer = [`${head}${whyNot === undefined ? '' : ` ${whyNot}`}`, ...citations.map(lineOf)].join('\n')
  segments.answered(answer)
  return {
    repository: content.repository.name,
    answer,
    citations,
    checked: { kept: citations.length, repaired: 0, dropped: 0 },
    segments: segments.list(),
  }
}

function lineOf({ path, start_line: start, end_line: end, symbol }: Citation): string {
  return `- ${symbol === undefined ? '' : `\`${symbol}\` `}(${path}:${start}-${end})`
}
