/**
 * Moves what was committed from the write-ahead log into the database file, on a thread that is started when there is enough
 * to move and ends when there is nothing left to do.
 *
 * The thread does the bulk while the log goes on. Then the writer pauses for a moment, so that the thread can move the rest
 * and begin the write-ahead log anew: SQLite makes the first writer after that wait for an fsync, and that must not be the
 * main thread.
 */
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../base/sibling-module.ts'
import type { Turns } from './turns.ts'

export interface Checkpoints extends AsyncDisposable {
  noteCommit(): void
}

export type CheckpointRequest = 'move-most' | 'move-rest'
export type CheckpointReply = { readonly done: CheckpointRequest } | { readonly failed: unknown }

const WAL_LIMIT_BYTES = 16 * 1024 * 1024
/** Looking at the file's size costs as much as a small insert. */
const COMMITS_PER_LOOK = 32
const IDLE_MS = 20_000

export interface CheckpointDeps {
  readonly path: string
  readonly turns: Turns
  readonly onFault: (error: unknown) => void
}

export function createCheckpoints({ path, turns, onFault }: CheckpointDeps): Checkpoints {
  let worker: Worker | undefined
  let isRunning = false
  let resume = (): void => {}
  let commits = 0
  let idle: NodeJS.Timeout | undefined

  const finish = (): void => {
    isRunning = false
    resume()
    idle?.refresh()
  }
  const endThread = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }
  const onReply = (reply: CheckpointReply): void => {
    if ('failed' in reply) {
      onFault(reply.failed)
      finish()
    } else if (reply.done === 'move-most') {
      resume = turns.pauseWrites()
      worker?.postMessage('move-rest' satisfies CheckpointRequest)
    } else finish()
  }
  const startThread = (): Worker => {
    const thread = new Worker(siblingModule('checkpoint-thread', import.meta.url), { workerData: { path } })
    thread.unref()
    thread.on('message', onReply)
    thread.on('error', onFault)
    thread.once('exit', () => {
      if (worker === thread) worker = undefined
      finish()
    })
    idle = setTimeout(() => {
      if (!isRunning) void endThread()
    }, IDLE_MS).unref()
    return thread
  }

  return {
    noteCommit() {
      commits++
      if (isRunning || commits % COMMITS_PER_LOOK !== 0) return
      const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
      if (size < WAL_LIMIT_BYTES) return
      isRunning = true
      worker ??= startThread()
      worker.postMessage('move-most' satisfies CheckpointRequest)
    },
    async [Symbol.asyncDispose]() {
      isRunning = true
      await endThread()
    },
  }
}
