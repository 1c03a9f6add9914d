/** The resources of one upstream that somebody follows: it is told of each once, however many do, and again when nobody does. */
import { createSerial, type Serial } from '../base/serial.ts'
import type { Upstream } from '../mcp/mcp.ts'

export interface Watches {
  /** Rejects where the upstream will not tell of it. */
  hold(uri: string, holder: string): Promise<void>
  release(uri: string, holder: string): Promise<void>
  /** Of those whose name begins so. */
  releaseAll(prefix: string): Promise<void>
}

interface Watch {
  readonly holders: Set<string>
  readonly inTurn: Serial
  pending: number
}

export function createWatches(upstream: Pick<Upstream, 'subscribe' | 'unsubscribe'>): Watches {
  const watches = new Map<string, Watch>()

  /** One after another: what was asked for last is what holds. */
  async function change(uri: string, task: (holders: Set<string>) => Promise<void>): Promise<void> {
    const watch = watches.get(uri) ?? { holders: new Set(), inTurn: createSerial(), pending: 0 }
    watches.set(uri, watch)
    watch.pending++
    try {
      await watch.inTurn(() => task(watch.holders))
    } finally {
      watch.pending--
      if (watch.pending === 0 && watch.holders.size === 0) watches.delete(uri)
    }
  }

  function release(uri: string, holder: string): Promise<void> {
    return change(uri, async (holders) => {
      if (holders.delete(holder) && holders.size === 0) await upstream.unsubscribe(uri)
    })
  }

  return {
    hold: (uri, holder) =>
      change(uri, async (holders) => {
        if (holders.size === 0) await upstream.subscribe(uri)
        holders.add(holder)
      }),
    release,
    async releaseAll(prefix) {
      const held = [...watches].flatMap(([uri, { holders }]) =>
        [...holders].filter((holder) => holder.startsWith(prefix)).map((holder) => release(uri, holder)),
      )
      await Promise.all(held)
    },
  }
}
