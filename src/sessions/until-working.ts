import type { ActivityView } from '../api/session.ts'
import { waitUntil } from '../base/wait-until.ts'

/** It may take this long to see that an agent has started on its prompt. */
const beginWithinMs = 3_000

/** Waits briefly until the agent works, so that its idle state before the prompt is not taken for "done". */
export async function untilWorking(view: ActivityView | undefined, signal: AbortSignal): Promise<void> {
  if (!view) return
  await waitUntil({
    sources: [view.onChange],
    look: () => view.current().is === 'working' || undefined,
    timeoutMs: beginWithinMs,
    signal,
  })
}
