/** The other end of a thread: answers what it is asked. */
import { parentPort } from 'node:worker_threads'
import type { Answered, Asked } from './thread.ts'

/** Whoever asks and whoever answers agree on what a question is. */
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
