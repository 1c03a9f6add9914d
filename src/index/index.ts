/**
 * The indexes of repositories. One worker indexes, one repository at a time; another answers questions, so that neither a
 * refresh nor a search blocks the hub. Both start when they are needed, and end when they are idle. The first is a process
 * of its own.
 */
import { mkdirSync, realpathSync } from 'node:fs'
import type { IndexStatus } from '../api/repository.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import { siblingModule } from '../base/sibling-module.ts'
import type { Reach } from '../base/start-program.ts'
import { createWorker } from '../base/worker.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { Embedded } from './dense/embed-chunks.ts'
import type { Embeddings } from './dense/embeddings.ts'
import { createVectorRuns } from './dense/vector-runs.ts'
import { damaged, deleteIndex, indexFileOf } from './index-file.ts'
import type { IndexAnswer, IndexQuestion } from './index-worker.ts'
import type { Meta } from './meta.ts'
import { emptyMeta } from './meta.ts'
import type { Found, Query } from './query-worker.ts'
import { noRepositoryIn } from './no-repository.ts'
import type { FileLines, IndexSource, RefreshOptions, RepositoryIndexes } from './source.ts'
import type { Refreshed } from './watch/watch-source.ts'
import { watchSource } from './watch/watch-source.ts'

export type { FileLines, IndexSource, RepositoryIndexes } from './source.ts'

export interface IndexesOptions {
  /** Where the index files are: an absolute path. */
  readonly directory: string
  /** The environment of git. */
  readonly env: ProgramEnvironment
  /** What git may see of the repository at `root`. `more`: files of the index. Without: all that the person may. */
  readonly reachOf?: (root: string, more: readonly string[]) => Promise<Reach>
  readonly log: Log
  /** With a server for vectors, a search also finds code by its meaning, and not only by its words. */
  readonly embeddings?: Embeddings | undefined
}

/** Heaps of the two workers. Texts and syntax trees of one transaction are a small part of it. */
const indexHeapMb = 160
const queryHeapMb = 256
/**
 * V8 compiles the grammars of tree-sitter when they are loaded, and frequently used functions a second time, to run
 * faster. The second compiler takes several hundred megabytes for them, so it is switched off.
 */
const indexerFlags = ['--liftoff-only']
/** A tool that lists more would flood its reader. */
const defaultListLimit = 10_000

interface Run {
  readonly done: Promise<Indexed>
  readonly controller: AbortController
  readonly listeners: Set<NonNullable<RefreshOptions['onProgress']>>
  progress: Progress | undefined
  /** Callers that still wait. The last one that gives up ends the refresh. */
  callers: number
}

interface Indexed extends Refreshed {
  readonly status: IndexStatus
}

interface Progress {
  readonly done: number
  readonly total: number
}

export function openRepositoryIndexes(options: IndexesOptions): RepositoryIndexes {
  const { directory, env, log, embeddings, reachOf = async () => 'person' } = options
  const indexer = createWorker<IndexQuestion>({
    module: siblingModule('index-worker', import.meta.url),
    // The environment of the hub has secrets.
    env,
    memoryMb: indexHeapMb,
    process: { flags: indexerFlags },
  })
  const reader = createWorker<Query>({ module: siblingModule('query-worker', import.meta.url), memoryMb: queryHeapMb })
  const reachIn = ({ root }: IndexSource) => reachOf(root, [realpathSync(noRepositoryIn(directory))])
  const inTurn = createSerial()
  const runs = new Map<string, Run>()
  const damagedIds = new Set<string>()
  /** The last errors, including those that could not be written to the index. */
  const lastErrors = new Map<string, string>()
  const vectors = createVectorRuns({ embed: askForVectors, log })
  mkdirSync(directory, { recursive: true, mode: 0o700 })

  function start(source: IndexSource): Run {
    const controller = new AbortController()
    const { signal } = controller
    const run: Run = {
      controller,
      listeners: new Set(),
      progress: undefined,
      callers: 0,
      done: inTurn(() => index(source, run)).finally(() => {
        if (runs.get(source.id) === run) runs.delete(source.id)
      }),
    }
    runs.set(source.id, run)
    // Each caller handles the failure.
    run.done.catch(() => {})
    return run

    async function index(each: IndexSource, { listeners }: Run): Promise<Indexed> {
      signal.throwIfAborted()
      const startedAt = performance.now()
      const file = indexFileOf(directory, each.id)
      const rebuild = damagedIds.has(each.id)
      if (rebuild) await ask(each.id, { wants: 'close' })
      const onNote = (note: unknown) => {
        run.progress = note as Progress
        for (const listener of listeners) listener(run.progress)
      }
      try {
        const gitReach = await reachIn(each)
        const question = { wants: 'refresh', source: each, file, env, gitReach, rebuild, embeddings } as const
        const { meta, wasDamaged, folders, gitDirectories } = await indexer.ask<IndexAnswer>(question, {
          signal,
          onNote,
        })
        damagedIds.delete(each.id)
        lastErrors.delete(each.id)
        if (wasDamaged) log.warn({ repository: each.id }, 'The index was damaged. It has been built again.')
        const tookMs = performance.now() - startedAt
        if (embeddings) vectors.start(each)
        return { status: { is: 'ready', ...meta, behind: 0 }, folders, gitDirectories, tookMs }
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ repository: each.id, error }, 'A repository could not be indexed.')
        lastErrors.set(each.id, messageOf(error))
        const meta = await ask<Meta>(each.id, { wants: 'meta' }).catch(() => emptyMeta)
        const status = { is: 'failed', ...meta, last_error: messageOf(error) } as const
        return { status, folders: [], gitDirectories: [], tookMs: performance.now() - startedAt }
      }
    }
  }

  function askForVectors(source: IndexSource, signal: AbortSignal): Promise<Embedded> {
    const question = {
      wants: 'vectors',
      source,
      file: indexFileOf(directory, source.id),
      env,
      gitReach: 'person',
      rebuild: false,
    } as const
    return inTurn(() => indexer.ask<Embedded>({ ...question, embeddings }, { signal }))
  }

  async function ask<Answer>(id: string, query: Wanted, signal?: AbortSignal): Promise<Answer> {
    const file = indexFileOf(directory, id)
    try {
      return await reader.ask<Answer>({ ...query, file }, { signal })
    } catch (error) {
      if (messageOf(error) === damaged) damagedIds.add(id)
      throw error
    }
  }

  /** A damaged index is found when it is read. */
  async function askAbout<Answer>(source: IndexSource, query: Wanted, signal?: AbortSignal): Promise<Answer> {
    try {
      return await ask(source.id, query, signal)
    } catch (error) {
      if (damagedIds.has(source.id) && !runs.has(source.id)) start(source)
      throw error
    }
  }

  return {
    async refresh(source, { signal, onProgress } = {}) {
      signal?.throwIfAborted()
      const run = runs.get(source.id) ?? start(source)
      run.callers++
      if (onProgress) run.listeners.add(onProgress)
      const { promise: abandoned, reject } = Promise.withResolvers<never>()
      const giveUp = () => {
        if (run.callers === 1) run.controller.abort(signal?.reason)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      try {
        return (await Promise.race([run.done, abandoned])).status
      } finally {
        signal?.removeEventListener('abort', giveUp)
        if (onProgress) run.listeners.delete(onProgress)
        run.callers--
      }
    },

    async status(source, { check = false } = {}) {
      const run = runs.get(source.id)
      const meta = await ask<Meta>(source.id, { wants: 'meta' }).catch((error: unknown): Meta => {
        if (!damagedIds.has(source.id)) throw error
        return { ...emptyMeta, last_error: damaged }
      })
      const isComplete = meta.indexed_at !== undefined
      if (run)
        return { is: isComplete ? 'ready' : 'indexing', ...meta, ...(run.progress && { progress: run.progress }) }
      const lastError = lastErrors.get(source.id) ?? meta.last_error
      if (lastError !== undefined) return { is: 'failed', ...meta, last_error: lastError }
      if (!isComplete) return { is: 'empty', ...meta }
      const ready = { is: 'ready', ...meta, ...vectors.status(source.id) } as const
      if (!check) return ready
      const file = indexFileOf(directory, source.id)
      const gitReach = await reachIn(source)
      const question = { wants: 'changes', source, file, env, gitReach, rebuild: false, embeddings } as const
      try {
        return { ...ready, behind: await inTurn(() => indexer.ask<number>(question)) }
      } catch (error) {
        return { is: 'failed', ...meta, last_error: messageOf(error) }
      }
    },

    async search(source, request, signal) {
      const { hits, denseError } = await askAbout<Found>(source, { wants: 'hits', request, embeddings }, signal)
      if (embeddings && request.mode === 'lexical') vectors.answered(source.id, denseError)
      return hits
    },

    read: (source, path, { start: from = 1, end = Infinity } = {}) =>
      askAbout<FileLines | undefined>(source, { wants: 'lines', path, start: from, end }),

    list: (source, glob, limit = defaultListLimit) =>
      askAbout<readonly string[]>(source, { wants: 'paths', glob, limit }),

    watch(source, onChange) {
      return watchSource({
        root: source.root,
        isRef: source.ref !== undefined,
        async refresh() {
          // A refresh that is under way may have looked before the change.
          await runs.get(source.id)?.done.catch(() => {})
          const refreshed = await (runs.get(source.id) ?? start(source)).done
          onChange(refreshed.status)
          return refreshed
        },
      })
    },

    async remove(id) {
      const run = runs.get(id)
      vectors.stop(id)
      run?.controller.abort(new Error('The repository was removed.'))
      await run?.done.catch(() => {})
      await inTurn(async () => {
        await ask(id, { wants: 'close' })
        deleteIndex(indexFileOf(directory, id))
        damagedIds.delete(id)
        lastErrors.delete(id)
      })
    },

    async [Symbol.asyncDispose]() {
      vectors[Symbol.dispose]()
      for (const { controller } of runs.values()) controller.abort(new Error('The hub is stopping.'))
      await Promise.all([indexer[Symbol.asyncDispose](), reader[Symbol.asyncDispose]()])
      await Promise.allSettled([...runs.values()].map(({ done }) => done))
    },
  }
}

type Wanted = Query extends infer Each ? (Each extends Query ? Omit<Each, 'file'> : never) : never
