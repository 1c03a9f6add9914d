/** The repositories as resources: the list, each one, and its files as they were indexed. */
import { isNotFound } from '../base/hub-error.ts'
import type { Provider, Variables } from '../mcp/mcp.ts'
import { repositoriesUri, repositoryUri } from './repository-uris.ts'
import type { RepositoryActions, RepositoryRecord } from './repository.ts'

const json = 'application/json'

export function createRepositoryResources(repositories: RepositoryActions): Omit<Provider, 'toolset' | 'tools'> {
  async function find(id: string): Promise<RepositoryRecord | undefined> {
    try {
      return await repositories.find(id)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  return {
    resources: () => [
      {
        uri: repositoriesUri,
        name: 'repositories',
        description: 'The repositories, and how far the index of each one is.',
        mimeType: json,
        async read() {
          const records = await repositories.list()
          const described = await Promise.all(records.map((record) => repositories.describe(record)))
          return {
            contents: [{ uri: repositoriesUri, mimeType: json, text: JSON.stringify({ repositories: described }) }],
          }
        },
      },
    ],
    resourceTemplates: () => [
      {
        uriTemplate: repositoryUri('{id}'),
        name: 'repository',
        description: 'A repository, and how far its index is.',
        mimeType: json,
        async read(uri: string, { id }: Variables) {
          const record = await find(String(id))
          if (!record) return undefined
          return { contents: [{ uri, mimeType: json, text: JSON.stringify(await repositories.describe(record)) }] }
        },
      },
      {
        uriTemplate: `${repositoryUri('{id}')}/files/{+path}`,
        name: 'repository-file',
        description: 'A file of a repository, as it was indexed.',
        mimeType: 'text/plain',
        async read(uri: string, { id, path }: Variables, call) {
          const record = await find(String(id))
          const content = record && (await repositories.contentOf(record, { signal: call.signal }))
          const file = await content?.read(String(path))
          return file && { contents: [{ uri, mimeType: 'text/plain', text: file.text }] }
        },
      },
    ],
  }
}
