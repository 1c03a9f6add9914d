/** The repositories that one caller may ask about, for the questions that come to the port of repositories. */
import { HubError } from '../base/hub-error.ts'
import { checkCitations } from './citations.ts'
import type { VisibleRepositories } from './query/query.ts'
import type { RepositoryActions, RepositoryRecord } from './repository.ts'

export function createVisibleRepositories(
  { describe, contentOf }: Pick<RepositoryActions, 'describe' | 'contentOf'>,
  list: () => Promise<readonly RepositoryRecord[]>,
): VisibleRepositories {
  return {
    list: async () => Promise.all((await list()).map((record) => describe(record))),
    async find(identifier) {
      const records = await list()
      for (const record of records) {
        const view = await describe(record)
        const { id, name, path, host_path: hostPath } = view
        if (![id, name, path, hostPath].includes(identifier)) continue
        return {
          view,
          search: async (query, limit, signal) =>
            (await contentOf(record, { signal })).search({ query, limit }, signal),
          check: async (text) => checkCitations(text, await contentOf(record)),
        }
      }
      const names = records.map(({ name }) => `"${name}"`).join(', ')
      throw new HubError(
        'not-found',
        `There is no repository "${identifier.slice(0, 200)}" that you may ask about. There is: ${names || 'none'}.`,
      )
    },
  }
}
