/** The source for pruning threads: those that no session continues. The others go with their sessions. */
import type { PruneSource } from '../api/prune.ts'
import type { ThreadStore } from './thread-store.ts'

/** A switch forks a thread before it starts the session that continues the fork, which can take some minutes. */
const continuedWithinMs = 10 * 60_000

export function createPrunableThreads(rows: Pick<ThreadStore, 'listWithoutSession' | 'remove'>): PruneSource {
  return {
    what: 'threads',
    async list(before) {
      const found = await rows.listWithoutSession(before.toISOString())
      return found.map(({ id, label, createdAt }) => ({
        id,
        name: label,
        since: createdAt,
        ...(isNew(createdAt) && { why: 'It is new. A session may be about to continue it.' }),
        remove: async () => ((await rows.remove(id)) ? undefined : 'A session continues it, or it is gone already.'),
      }))
    },
  }
}

function isNew(createdAt: string): boolean {
  return Date.now() - Date.parse(createdAt) < continuedWithinMs
}
