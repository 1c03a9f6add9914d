/** The worker's side: answers each question from the main process. */
import { parentPort } from 'node:worker_threads'
import type { Answered, Asked } from './worker.ts'

/** The two sides agree on the type of a question. */
export function answerEach(answer: (question: never) => unknown): void {
  parentPort?.on('message', ({ id, question }: Asked<never>) => {
    void reply(id, async () => answer(question)).then((message) => parentPort?.postMessage(message))
  })
}

async function reply(id: number, answer: () => Promise<unknown>): Promise<Answered> {
  try {
    return { id, answer: await answer() }
  } catch (failed) {
    return { id, failed }
  }
}
