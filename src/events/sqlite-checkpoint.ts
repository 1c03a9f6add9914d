/**
 * Moves what was committed from the write-ahead log into the database file, on a thread that is started when there is enough
 * to move and ends when there is nothing left to do.
 *
 * Writing pauses meanwhile. The queue holds what comes in, for some milliseconds; a write beside the thread's fsyncs could
 * hold up the whole hub, since file systems let it wait for them. The thread also begins the write-ahead log anew, because
 * SQLite makes the first writer after that wait for an fsync.
 */
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../base/sibling-module.ts'
import type { Turns } from './turns.ts'

export interface Checkpoints extends AsyncDisposable {
  /** Something of this size was committed. */
  noteCommit(bytes: number): void
}

/** What the thread answers when it is done: nothing, or why it failed. */
export interface CheckpointReply {
  readonly failed?: unknown
}

/** About how large the write-ahead log gets; smaller means more fsyncs, larger a longer start after a crash. */
const walBytes = 8 * 1024 * 1024
/** Every commit writes at least one page of the table and of each index. */
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
      // Pages are written whole, so that it is about twice what was in the records.
      written += commitBytes + 2 * bytes
      if (isRunning || written < walBytes / 2) return
      // Ahead of time, so that nobody waits for the thread to start.
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
