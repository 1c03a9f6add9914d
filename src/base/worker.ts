/** A worker that starts with the first question, answers one question after another, and ends when it is idle. */
import { Worker } from 'node:worker_threads'

export interface WorkerClient<Question> {
  /** Rejects with the error that the worker throws. */
  ask<Answer>(question: Question): Promise<Answer>
}

export interface Asked<Question> {
  readonly id: number
  readonly question: Question
}

export type Answered = { readonly id: number } & ({ readonly answer: unknown } | { readonly failed: unknown })

export interface WorkerOptions {
  readonly module: URL
  readonly env?: Readonly<Record<string, string>>
  /** Limit of its heap. Garbage is collected before the heap reaches it. */
  readonly memoryMb?: number
}

const idleMs = 60_000

export function createWorker<Question>(options: WorkerOptions): WorkerClient<Question> {
  let running: Running<Question> | undefined
  return {
    ask(question) {
      running ??= start(options, () => (running = undefined))
      return running.ask(question)
    },
  }
}

interface Running<Question> {
  ask<Answer>(question: Question): Promise<Answer>
}

function start<Question>({ module, env, memoryMb }: WorkerOptions, onEnd: () => void): Running<Question> {
  const worker = new Worker(module, {
    ...(env && { env: { ...env } }),
    ...(memoryMb !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: memoryMb / 4 },
    }),
  })
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(reason: unknown): void }>()
  let lastId = 0
  const idle = setTimeout(() => end(new Error('the worker was idle')), idleMs)
  // The worker keeps the process alive only while a caller waits for an answer.
  worker.unref()
  idle.unref()

  worker.on('message', (reply: Answered) => {
    const asker = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (waiting.size === 0) worker.unref()
    if ('failed' in reply) asker?.reject(reply.failed)
    else asker?.resolve(reply.answer)
  })
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`The worker ended with code ${code}.`)))

  let isEnded = false
  function end(reason: unknown): void {
    if (isEnded) return
    isEnded = true
    onEnd()
    clearTimeout(idle)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    void worker.terminate()
  }

  return {
    ask<Answer>(question: Question) {
      const id = ++lastId
      return new Promise<Answer>((resolve, reject) => {
        waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject })
        worker.ref()
        idle.refresh()
        worker.postMessage({ id, question } satisfies Asked<Question>)
      })
    },
  }
}
