/**
 * The indexes of this hub's repositories: opens the engine when the first one is needed, refreshes and watches them,
 * and notifies those who follow a repository. One refresh of a repository runs at a time, and callers share it.
 */
import type { IndexStatus } from '../api/repository.ts'
import { abortable } from '../base/abortable.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createPacedSet } from '../base/paced-set.ts'
import type { IndexSource, RepositoryIndexes } from '../index/index.ts'
import type { RepositoryRecord } from './repository-store.ts'

export interface KeptIndexes extends AsyncDisposable {
  /** Never rejects: an index that cannot be looked at has failed. */
  status(record: RepositoryRecord): Promise<IndexStatus>
  /** Brings the index up to date, unless it has failed. The refresh continues if the caller leaves. */
  refresh(record: RepositoryRecord, options?: WaitOptions): Promise<IndexStatus>
  /** Refreshes in the background, then after each change. */
  follow(record: RepositoryRecord): void
  /** For a question: waits for a first index. Throws if there is none and none can be made. */
  ready(record: RepositoryRecord, options?: WaitOptions): Promise<RepositoryIndexes>
  /** Deletes the index. */
  remove(id: string): Promise<void>
}

export interface WaitOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: ProgressListener | undefined
}

type ProgressListener = (progress: { readonly done: number; readonly total: number }) => void

export interface KeptIndexesOptions {
  readonly open: () => Promise<RepositoryIndexes>
  /** The status of these repositories has changed. */
  readonly onChange: (ids: readonly string[]) => void
  readonly log: Pick<Log, 'warn'>
}

interface RunningRefresh {
  readonly listeners: Set<ProgressListener>
  readonly done: Promise<IndexStatus>
}

/** An index reports its progress many times in a second, and each report would wake every follower. */
const changePauseMs = 500

export function createKeptIndexes({ open, onChange, log }: KeptIndexesOptions): KeptIndexes {
  let opening: Promise<RepositoryIndexes> | undefined
  const running = new Map<string, RunningRefresh>()
  const watchers = new Map<string, Disposable>()
  const changes = createPacedSet<string>(onChange, () => changePauseMs)
  let isDisposed = false

  function engine(): Promise<RepositoryIndexes> {
    if (isDisposed) throw new HubError('unavailable', 'The hub is stopping.')
    return (opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    }))
  }

  function start(record: RepositoryRecord): RunningRefresh {
    const listeners = new Set<ProgressListener>()
    const run = async (): Promise<IndexStatus> => {
      try {
        const indexes = await engine()
        return await indexes.refresh(sourceOf(record), {
          onProgress(progress) {
            for (const listener of listeners) listener(progress)
            changes.add(record.id)
          },
        })
      } finally {
        running.delete(record.id)
        changes.add(record.id)
      }
    }
    const refresh = { listeners, done: run() }
    running.set(record.id, refresh)
    refresh.done.catch(() => {})
    return refresh
  }

  async function refresh(record: RepositoryRecord, { signal, onProgress }: WaitOptions = {}): Promise<IndexStatus> {
    const { listeners, done } = running.get(record.id) ?? start(record)
    if (onProgress) listeners.add(onProgress)
    try {
      return await (signal ? abortable(done, signal) : done)
    } finally {
      if (onProgress) listeners.delete(onProgress)
    }
  }

  async function watch(record: RepositoryRecord): Promise<void> {
    const indexes = await engine()
    if (isDisposed || watchers.has(record.id)) return
    watchers.set(
      record.id,
      indexes.watch(sourceOf(record), () => changes.add(record.id)),
    )
  }

  return {
    refresh,
    async status(record) {
      try {
        return await (await engine()).status(sourceOf(record))
      } catch (error) {
        return { is: 'failed', files: 0, chunks: 0, bytes: 0, skipped: 0, last_error: messageOf(error) }
      }
    },
    follow(record) {
      const begin = async () => {
        await refresh(record).catch((error: unknown) => warn(record, error))
        await watch(record)
      }
      begin().catch((error: unknown) => warn(record, error))
    },
    async ready(record, options) {
      const indexes = await engine()
      // After a failed refresh, the last complete index still answers.
      const { indexed_at: indexedAt } = await indexes.status(sourceOf(record))
      if (indexedAt !== undefined) return indexes
      const { is, last_error: reason = 'the reason is not known' } = await refresh(record, options)
      if (is === 'ready') return indexes
      throw new HubError(
        'unavailable',
        `The repository "${record.name}" could not be indexed: ${sentence(reason)} Call refresh_repository to try again.`,
      )
    },
    async remove(id) {
      watchers.get(id)?.[Symbol.dispose]()
      watchers.delete(id)
      await (await engine()).remove(id)
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      changes[Symbol.dispose]()
      for (const watcher of watchers.values()) watcher[Symbol.dispose]()
      const indexes = await opening?.catch(() => undefined)
      await indexes?.[Symbol.asyncDispose]()
    },
  }

  function warn({ name, path }: RepositoryRecord, error: unknown): void {
    if (!isDisposed) log.warn({ repository: name, path, error }, 'could not refresh the index of a repository')
  }
}

export function sourceOf({ id, path, ref }: RepositoryRecord): IndexSource {
  return { id, root: path, ref }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
