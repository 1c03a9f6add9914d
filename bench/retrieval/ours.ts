/** The index of the hub, as a search of a repository uses it. */
import { setTimeout } from 'node:timers/promises'
import { createLog } from '../../src/base/log.ts'
import { createRedactor } from '../../src/base/redact.ts'
import { programEnvironment } from '../../src/config/program-environment.ts'
import { type IndexSource, openRepositoryIndexes } from '../../src/index/index.ts'
import type { Embeddings } from '../../src/index/dense/embeddings.ts'
import { type BenchRepository, rootOf } from './repositories.ts'
import type { System } from './system.ts'

/** Enough hits for ten files. */
const hitsPerQuery = 50
const pollMs = 200

export function createOurs(name: string, directory: string, embeddings?: Embeddings): System {
  const log = createLog({ level: 'warn', redactor: createRedactor() })
  const indexes = openRepositoryIndexes({ directory, env: programEnvironment(process.env), log, embeddings })
  return {
    name,
    index: async (repository) => {
      await indexes.refresh(sourceOf(repository))
      // Vectors come in the background. Without them a search would use words only.
      for (;;) {
        const { progress, last_error: error } = await indexes.status(sourceOf(repository))
        if (error !== undefined) throw new Error(error)
        if (progress === undefined) return
        await setTimeout(pollMs)
      }
    },
    search: async (repository, question) => {
      const request = { query: question, mode: 'lexical', limit: hitsPerQuery } as const
      return (await indexes.search(sourceOf(repository), request)).map(({ path }) => path)
    },
    [Symbol.asyncDispose]: async () => indexes[Symbol.asyncDispose](),
  }
}

function sourceOf(repository: BenchRepository): IndexSource {
  return { id: repository.name, root: rootOf(repository) }
}
