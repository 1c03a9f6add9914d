import type { Log } from './log.ts'

/** Repeats a task, never twice at once. A failure is logged, and the task runs again next time. */
export function every(ms: number, log: Log, task: () => Promise<void>): Disposable {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    task()
      .catch((error: unknown) => log.error({ error }, 'a periodic task failed'))
      .finally(() => (isRunning = false))
  }, ms)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
