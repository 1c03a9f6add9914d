import type { ActivityView } from './sessions.ts'

/** So long may it take to see that an agent has begun on what it was given. */
const beginWithinMs = 3_000

/** Until it works, or a moment has passed: what was idle before it was asked shall not be taken for done. */
export async function untilWorking(view: ActivityView | undefined): Promise<void> {
  if (!view || view.current().is === 'working') return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, beginWithinMs)
  const stop = view.onChange(() => {
    if (view.current().is === 'working') resolve()
  })
  await promise
  clearTimeout(timer)
  stop()
}
