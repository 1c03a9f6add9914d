/** Searches several repositories. One that cannot be searched is named, because "no hits" would be wrong. */
import type { Hit } from '../api/repository.ts'
import { messageOf } from '../base/hub-error.ts'
import type { WaitOptions } from './kept-indexes.ts'
import type { RepositoryActions, RepositoryRecord, SearchRequest } from './repository.ts'

export interface Found {
  readonly hits: Hit[]
  readonly unsearched?: { repository: string; reason: string }[]
}

export async function searchAll(
  repositories: Pick<RepositoryActions, 'search'>,
  records: readonly RepositoryRecord[],
  request: SearchRequest & { readonly limit: number },
  wait: WaitOptions & { readonly signal: AbortSignal },
): Promise<Found> {
  const [only, ...others] = records
  if (only && others.length === 0) return { hits: [...(await repositories.search(only, request, wait))] }
  const unsearched: { repository: string; reason: string }[] = []
  const hits: Hit[] = []
  for (const record of records) {
    try {
      hits.push(...(await repositories.search(record, request, wait)))
    } catch (error) {
      wait.signal.throwIfAborted()
      unsearched.push({ repository: record.name, reason: messageOf(error) })
    }
  }
  const best = hits.toSorted((one, other) => other.score - one.score).slice(0, request.limit)
  return { hits: best, ...(unsearched.length > 0 && { unsearched }) }
}
