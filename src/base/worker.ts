/** A worker that starts with the first question, answers one question after another, and ends when it is idle. */
import type { HubErrorCode } from './hub-error.ts'
import { HubError } from './hub-error.ts'
import type { WorkerHostOptions } from './worker-host.ts'
import { startHost } from './worker-host.ts'

export interface WorkerClient<Question> extends AsyncDisposable {
  /** Rejects with the error that the worker throws. */
  ask<Answer>(question: Question, options?: AskOptions): Promise<Answer>
}

export interface AskOptions {
  /** Tells the worker to stop. The worker still answers, with a partial result or with an error. */
  readonly signal?: AbortSignal | undefined
  /** Called with each report of the worker before its answer. */
  readonly onNote?: ((note: unknown) => void) | undefined
  /** Memory in the question that is handed over instead of copied. A worker in a process of its own gets a copy. */
  readonly transfer?: readonly ArrayBuffer[] | undefined
}

export type ToWorker<Question> =
  | { readonly id: number; readonly question: Question }
  | { readonly id: number; readonly stop: true }

export type FromWorker = { readonly id: number } & (
  | { readonly answer: unknown }
  | { readonly note: unknown }
  | { readonly failed: unknown }
  /** Plain fields, because a class does not survive the transfer between threads and processes. */
  | { readonly refused: HubErrorFields }
)

export interface HubErrorFields {
  readonly code: HubErrorCode
  readonly message: string
}

const idleMs = 60_000

export function createWorker<Question>(options: WorkerHostOptions): WorkerClient<Question> {
  let running: Running<Question> | undefined
  let isDisposed = false
  return {
    ask(question, askOptions) {
      if (isDisposed) return Promise.reject(new HubError('unavailable', 'The hub is stopping.'))
      running ??= start(options, () => (running = undefined))
      return running.ask(question, askOptions)
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await running?.end(new HubError('unavailable', 'The hub is stopping.'))
    },
  }
}

interface Running<Question> {
  ask<Answer>(question: Question, options?: AskOptions): Promise<Answer>
  end(reason: unknown): Promise<void>
}

function start<Question>(options: WorkerHostOptions, onEnd: () => void): Running<Question> {
  const host = startHost(options, {
    onMessage: (message) => hear(message as FromWorker),
    onEnd: (reason) => void end(reason),
  })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  const idle = setTimeout(endIfIdle, idleMs)
  // The worker keeps the process alive only while a caller waits for an answer.
  host.unref()
  idle.unref()

  function hear(reply: FromWorker): void {
    const asker = waiting.get(reply.id)
    if ('note' in reply) {
      asker?.onNote?.(reply.note)
      return
    }
    waiting.delete(reply.id)
    if (waiting.size === 0) host.unref()
    if ('failed' in reply) asker?.reject(reply.failed)
    else if ('refused' in reply) asker?.reject(new HubError(reply.refused.code, reply.refused.message))
    else asker?.resolve(reply.answer)
  }

  /** A running question keeps the worker alive, since a question may take longer than the idle limit. */
  function endIfIdle(): void {
    if (waiting.size === 0) void end(new Error('the worker was idle'))
    else idle.refresh()
  }

  let isEnded = false
  async function end(reason: unknown): Promise<void> {
    if (isEnded) return
    isEnded = true
    onEnd()
    clearTimeout(idle)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    await host.terminate()
  }

  const send = (message: ToWorker<Question>, transfer?: readonly ArrayBuffer[]) => host.send(message, transfer)

  return {
    async ask<Answer>(question: Question, { signal, onNote, transfer }: AskOptions = {}) {
      signal?.throwIfAborted()
      const id = ++lastId
      const stop = () => send({ id, stop: true })
      signal?.addEventListener('abort', stop, { once: true })
      try {
        return await new Promise<Answer>((resolve, reject) => {
          waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject, onNote })
          host.ref()
          idle.refresh()
          send({ id, question }, transfer)
        })
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    },
    end,
  }
}

interface Waiting extends Pick<AskOptions, 'onNote'> {
  resolve(answer: unknown): void
  reject(reason: unknown): void
}
