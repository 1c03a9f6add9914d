/** The followed resources of one upstream. The upstream is unsubscribed when the last follower leaves. */
import { createSerial, type Serial } from '../base/serial.ts'
import type { Client } from '../mcp/mcp.ts'
import type { Upstream } from '../upstream/upstream.ts'

export interface Watches {
  /** Rejects if the upstream does not report changes of the resource. */
  follow(uri: string, follower: string, era?: Client['era']): Promise<void>
  unfollow(uri: string, follower: string): Promise<void>
  /** Whether a follower whose name starts with the prefix follows the resource. */
  isFollowed(uri: string, prefix: string): boolean
  /** Removes all followers whose name starts with the prefix. */
  unfollowAll(prefix: string): Promise<void>
}

interface Watch {
  readonly followers: Set<string>
  readonly inTurn: Serial
  pending: number
}

export function createWatches(upstream: Pick<Upstream, 'subscribe' | 'unsubscribe'>): Watches {
  const watches = new Map<string, Watch>()

  /** Runs changes of one resource in order, so that the last one wins. */
  async function change(uri: string, task: (followers: Set<string>) => Promise<void>): Promise<void> {
    const watch = watches.get(uri) ?? { followers: new Set(), inTurn: createSerial(), pending: 0 }
    watches.set(uri, watch)
    watch.pending++
    try {
      await watch.inTurn(() => task(watch.followers))
    } finally {
      watch.pending--
      if (watch.pending === 0 && watch.followers.size === 0) watches.delete(uri)
    }
  }

  function unfollow(uri: string, follower: string): Promise<void> {
    return change(uri, async (followers) => {
      if (followers.delete(follower) && followers.size === 0) await upstream.unsubscribe(uri)
    })
  }

  return {
    follow: (uri, follower, era) =>
      change(uri, async (followers) => {
        const isFollowed = followers.has(follower)
        // Added before the request: the first change may arrive together with the answer.
        followers.add(follower)
        try {
          await upstream.subscribe(uri, era)
        } catch (error) {
          if (!isFollowed) followers.delete(follower)
          throw error
        }
      }),
    isFollowed: (uri, prefix) =>
      watches
        .get(uri)
        ?.followers.values()
        .some((follower) => follower.startsWith(prefix)) === true,
    unfollow,
    async unfollowAll(prefix) {
      const removed = [...watches].flatMap(([uri, { followers }]) =>
        [...followers].filter((follower) => follower.startsWith(prefix)).map((follower) => unfollow(uri, follower)),
      )
      await Promise.all(removed)
    },
  }
}
