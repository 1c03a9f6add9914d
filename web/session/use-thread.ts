/** The thread of a session, which grows while the agent speaks. */
import type { Thread } from '../../src/api/thread.ts'
import { useLive } from '../hub/hub-context.tsx'
import type { Live } from '../hub/live-value.ts'
import { type ThreadItem, addFrames } from './thread-items.ts'

export interface LiveThread {
  readonly items: readonly ThreadItem[]
  readonly cursor: string | undefined
}

const pageSize = 2_000

export function useThread(id: string): Live<LiveThread> {
  return useLive<LiveThread>(`thread:${id}`, ({ call }) => ({
    uris: [`resource://threads/${id}`],
    async read(signal, before = { items: [], cursor: undefined }) {
      let { items, cursor } = before
      for (;;) {
        const args = { thread: id, limit: pageSize, ...(cursor !== undefined && { since: cursor }) }
        const page = await call<Thread>('read_thread', args, signal)
        if (page.events.length > 0) items = addFrames(items, page.events)
        cursor = page.cursor
        if (!page.has_more) return { items, cursor }
      }
    },
  }))
}
