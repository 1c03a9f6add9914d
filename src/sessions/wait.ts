import { isOver } from '../api/session.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import type { Call } from '../mcp/mcp.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './sessions.ts'

/** Blocks until the session shows or does what is asked for. Supplied from above: it is the same as wait_for's. */
export type Wait = (sessionId: string, input: WaitInput, call: Call) => Promise<WaitOutput>
/** Throws where nobody could wait for it, whatever the session does. */
export type CheckWait = (input: Pick<WaitInput, 'for' | 'value'>) => Promise<void>

export interface Waiting {
  readonly wait: Wait
  readonly checkWait: CheckWait
}

/** The same for a session that may still wait for its turn, or never had one. */
export async function waitForSession(
  { sessions, wait, checkWait }: Waiting & { readonly sessions: Sessions },
  record: SessionRecord,
  input: WaitInput,
  call: Call,
): Promise<WaitOutput> {
  await checkWait(input)
  const askedAt = performance.now()
  const begun = await sessions.untilBegun(record, { timeoutMs: input.timeout_ms, signal: call.signal })
  const { id, status, startedAt } = begun
  if (startedAt !== undefined) {
    const timeoutMs = Math.max(0, Math.round(input.timeout_ms - (performance.now() - askedAt)))
    return wait(id, { ...input, timeout_ms: timeoutMs }, call)
  }
  const activity = sessions.activityOf(begun)
  const nothing = { status, activity, offset: 0, screen: '' }
  return isOver(status)
    ? { ...nothing, met: input.for === 'exit' || input.for === 'idle', reason: 'exit' }
    : { ...nothing, met: false, reason: 'timeout' }
}
