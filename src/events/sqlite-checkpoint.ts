/**
 * Moves committed data from the write-ahead log into the database file, on a thread. The thread starts when there is
 * enough to move and ends when it has been idle.
 *
 * Writes pause meanwhile, and the queue holds new events for some milliseconds. A write next to the thread's fsyncs
 * could block the whole hub, because file systems make it wait for them. The thread also restarts the write-ahead log,
 * because SQLite makes the first writer after a restart wait for an fsync.
 */
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../base/sibling-module.ts'
import type { Turns } from './turns.ts'

export interface Checkpoints extends AsyncDisposable {
  /** Counts the bytes of a commit. */
  noteCommit(bytes: number): void
}

/** The reply of the thread: empty, or the reason of its failure. */
export interface CheckpointReply {
  readonly failed?: unknown
}

/**
 * The approximate size of the write-ahead log. A smaller log means more fsyncs, a larger one a longer start after a
 * crash.
 */
const walBytes = 8 * 1024 * 1024
/** Every commit writes at least one page of the table and one of each index. */
const commitBytes = 4 * 4096
const idleMs = 20_000

export interface CheckpointDeps {
  readonly path: string
  readonly turns: Turns
  readonly onFault: (error: unknown) => void
}

export function createCheckpoints({ path, turns, onFault }: CheckpointDeps): Checkpoints {
  let worker: Worker | undefined
  let isRunning = false
  let resume = (): void => {}
  let written = 0
  let idle: NodeJS.Timeout | undefined

  const finish = (): void => {
    isRunning = false
    resume()
    idle?.refresh()
  }
  const endThread = async (): Promise<void> => {
    clearTimeout(idle)
    idle = undefined
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }
  const onReply = ({ failed }: CheckpointReply): void => {
    if (failed !== undefined) onFault(failed)
    finish()
  }
  const startThread = (): Worker => {
    const thread = new Worker(siblingModule('checkpoint-thread', import.meta.url), {
      workerData: { path },
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 },
    })
    thread.unref()
    thread.on('message', onReply)
    thread.on('error', onFault)
    thread.once('exit', () => {
      if (worker !== thread) return
      worker = undefined
      finish()
    })
    idle = setTimeout(() => {
      if (!isRunning) void endThread()
    }, idleMs).unref()
    return thread
  }

  return {
    noteCommit(bytes) {
      // SQLite writes whole pages, which takes about twice the size of the records.
      written += commitBytes + 2 * bytes
      if (isRunning || written < walBytes / 2) return
      // Start the thread early, so that the checkpoint does not wait for it.
      worker ??= startThread()
      if (written < walBytes) return
      written = 0
      isRunning = true
      resume = turns.pauseWrites()
      worker.postMessage('checkpoint')
    },
    async [Symbol.asyncDispose]() {
      isRunning = true
      await endThread()
    },
  }
}
