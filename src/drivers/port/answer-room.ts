/**
 * The requests of a program that the hub has read and not answered. While there are many, a driver reads nothing more.
 * A request that waits for a person does not count, since what frees it may be behind the next line: the program may
 * cancel it. Other limits apply to those.
 */
export interface AnswerRoom {
  readonly isFull: boolean
  /** The request counts until it leaves, with the bytes that it takes. */
  enter(bytes?: number): AnswerPlace
  /** Resolves when there is room for another request, or when the signal fires. */
  ready(signal: AbortSignal): Promise<void>
}

export interface AnswerPlace {
  /** The request is answered, or waits for a person. */
  leave(): void
}

const mostUnanswered = 64
/** A single request may exceed it. */
const mostBytes = 32 * 1024 * 1024

export function createAnswerRoom(): AnswerRoom {
  let unanswered = 0
  let unansweredBytes = 0
  let wake = () => {}
  const isFull = () => unanswered >= mostUnanswered || unansweredBytes >= mostBytes

  return {
    get isFull() {
      return isFull()
    },
    enter(bytes = 0) {
      unanswered += 1
      unansweredBytes += bytes
      let isLeft = false
      return {
        leave() {
          if (isLeft) return
          isLeft = true
          unanswered -= 1
          unansweredBytes -= bytes
          wake()
        },
      }
    },
    async ready(signal) {
      const onAbort = () => wake()
      signal.addEventListener('abort', onAbort)
      while (isFull() && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
      signal.removeEventListener('abort', onAbort)
    },
  }
}
