import { waitUntil } from '../base/wait-until.ts'
import type { ActivityView } from './sessions.ts'

/** So long may it take to see that an agent has begun on what it was given. */
const beginWithinMs = 3_000

/** Until it works, or a moment has passed: what was idle before it was asked shall not be taken for done. */
export async function untilWorking(view: ActivityView | undefined, signal: AbortSignal): Promise<void> {
  if (!view) return
  await waitUntil({
    sources: [view.onChange],
    look: () => view.current().is === 'working' || undefined,
    timeoutMs: beginWithinMs,
    signal,
  })
}
