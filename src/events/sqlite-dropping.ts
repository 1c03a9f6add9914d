/** Drops the oldest events from a SQLite log in short steps. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteErrorCode } from '../base/sqlite-file.ts'
import { roomToMake } from './event-storage.ts'
import type { EventStorage } from './event-storage.ts'
import type { Turns } from './turns.ts'

const sliceMs = 0.8
const smallestStep = 8
const largestStep = 4_096
const pagesPerVacuum = 32
const busyRetryMs = 10
const mostBusyTimes = 500
/** The estimated size of the writes in one step. */
const stepBytes = 64 * 1024

export interface DroppingDeps {
  readonly turns: Turns
  readonly onCommit: (bytes: number) => void
}

export function createDropping(database: DatabaseSync, { turns, onCommit }: DroppingDeps): EventStorage['dropOldest'] {
  const oldest = database.prepare('select seq, at from events order by seq limit 1')
  const newest = database.prepare('select max(seq) as seq from events')
  const lastOld = database.prepare(
    'select max(seq) as seq from (select seq, at from events where seq < ? order by seq limit ?) where at < ?',
  )
  const remove = database.prepare('delete from events where seq <= ?')
  const number = (pragma: string): number => Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0])
  const pageSize = number('page_size')
  const usedBytes = (): number => (number('page_count') - number('freelist_count')) * pageSize
  const fileBytes = (): number => number('page_count') * pageSize
  let busyTimes = 0

  return async ({ before, maxBytes }) => {
    const first = Number(oldest.get()?.['seq'] ?? 0)
    let removedTo = first - 1
    let isMakingRoom = usedBytes() > maxBytes
    let step = 64
    const target = maxBytes * (1 - roomToMake)

    /** The last seq of the next step, or undefined if nothing more must be dropped. */
    const nextStep = (): number | undefined => {
      const last = Number(newest.get()?.['seq'] ?? 0)
      isMakingRoom &&= usedBytes() > target
      const end = isMakingRoom ? removedTo + step : lastOld.get(last, step, before)?.['seq']
      return end === null || end === undefined || removedTo >= last - 1 ? undefined : Math.min(Number(end), last - 1)
    }
    for (let end = nextStep(); end !== undefined; end = nextStep()) {
      let tookMs = 0
      const isDone = await attempt(() => {
        const start = performance.now()
        remove.run(end)
        tookMs = performance.now() - start
      })
      if (isDone) removedTo = end
      step = tookMs > sliceMs ? Math.max(smallestStep, step >> 1) : Math.min(step * 2, largestStep)
      await sleep(1)
    }
    while (fileBytes() > maxBytes && number('freelist_count') > 0) {
      await attempt(() => database.exec(`pragma incremental_vacuum(${pagesPerVacuum})`))
      await sleep(1)
    }
    return removedTo < first ? undefined : { count: removedTo - first + 1, firstSeq: first, lastSeq: removedTo }
  }

  /** Returns false if another process has locked the file. The caller tries again. */
  async function attempt(work: () => unknown): Promise<boolean> {
    try {
      await turns.take('write', work)
      onCommit(stepBytes)
      busyTimes = 0
      return true
    } catch (error) {
      if (sqliteErrorCode(error) !== 5 || ++busyTimes > mostBusyTimes) throw error
      await sleep(busyRetryMs)
      return false
    }
  }
}
