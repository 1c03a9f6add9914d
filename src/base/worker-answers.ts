/** The worker's side, in a thread or in a process: answers each question from the main process. */
import { parentPort } from 'node:worker_threads'
import { HubError } from './hub-error.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export interface Asked {
  /** Aborted when the asker has given up. */
  readonly signal: AbortSignal
  /** Reports to the asker before the answer. */
  note(note: unknown): void
}

/** `never`, since only the two sides know the type of a question. */
export function answerEach(answer: (question: never, asked: Asked) => unknown): void {
  const underWay = new Map<number, AbortController>()
  const send = openChannel((message) => {
    const { id } = message
    if ('stop' in message) {
      underWay.get(id)?.abort()
      return
    }
    const controller = new AbortController()
    underWay.set(id, controller)
    const asked = { signal: controller.signal, note: (note: unknown) => send({ id, note }) }
    void reply(id, async () => answer(message.question, asked))
      .then(send)
      .finally(() => underWay.delete(id))
  })
}

type Send = (message: FromWorker) => void

function openChannel(onMessage: (message: ToWorker<never>) => void): Send {
  if (parentPort) {
    const port = parentPort
    port.on('message', onMessage)
    return (message) => port.postMessage(message)
  }
  process.on('message', onMessage)
  // The main process has ended, perhaps by a kill, so nothing reads the answer.
  process.on('disconnect', () => process.exit())
  return (message) => process.send?.(message, undefined, {}, () => {})
}

async function reply(id: number, answer: () => Promise<unknown>): Promise<FromWorker> {
  try {
    return { id, answer: await answer() }
  } catch (failed) {
    if (failed instanceof HubError) return { id, refused: { code: failed.code, message: failed.message } }
    return { id, failed }
  }
}
