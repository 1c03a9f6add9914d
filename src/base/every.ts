import type { Log } from './log.ts'

/** Runs again and again, never twice at once; a failure is logged and tried again. */
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
