import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import type { Call } from '../mcp/mcp.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'

/** Blocks until the condition is met. It is the implementation of `wait_for`, passed in by the hub. */
export type Wait = (sessionId: string, input: WaitInput, call: Call) => Promise<WaitOutput>
/** Throws if the condition is invalid. */
export type CheckWait = (input: Pick<WaitInput, 'for' | 'value'>) => Promise<void>

export interface Waiting {
  readonly wait: Wait
  readonly checkWait: CheckWait
}

/** The same, also for a session that is still queued or never started. */
export async function waitForSession(
  { sessions, wait, checkWait }: Waiting & { readonly sessions: Sessions },
  record: SessionRecord,
  input: WaitInput,
  call: Call,
): Promise<WaitOutput> {
  await checkWait(input)
  const askedAt = performance.now()
  const started = await sessions.untilStarted(record, { timeoutMs: input.timeout_ms, signal: call.signal })
  const { id, status, startedAt } = started
  if (startedAt !== undefined) {
    const timeoutMs = Math.max(0, Math.round(input.timeout_ms - (performance.now() - askedAt)))
    if (!sessions.describe(started).terminal)
      return waitWithoutTerminal(sessions, started, { ...input, timeoutMs }, call)
    return wait(id, { ...input, timeout_ms: timeoutMs }, call)
  }
  const activity = sessions.activityOf(started)
  const nothing = { status, activity, offset: 0, screen: '' }
  return isOver(status)
    ? { ...nothing, met: input.for === 'exit' || input.for === 'idle', reason: 'exit' }
    : { ...nothing, met: false, reason: 'timeout' }
}

/** A session without a terminal has an activity and an end, but no screen. */
async function waitWithoutTerminal(
  sessions: Sessions,
  { id, name }: SessionRecord,
  { for: is, timeoutMs }: Pick<WaitInput, 'for'> & { readonly timeoutMs: number },
  { signal }: Call,
): Promise<WaitOutput> {
  if (is === 'text' || is === 'regex') {
    throw new HubError('invalid', `"for": "${name}" has no terminal to look at. Call read_thread for what it says.`)
  }
  async function look(): Promise<WaitOutput> {
    const record = await sessions.find(id)
    const activity = sessions.activityOf(record)
    const hasEnded = isOver(record.status)
    const met = is === 'exit' ? hasEnded : activity.is === is
    const reason = hasEnded ? 'exit' : met ? 'activity' : 'timeout'
    return { met, reason, status: record.status, activity, offset: 0, screen: '' }
  }
  const found = await waitUntil({
    sources: [(listener) => sessions.onChange(id, listener)],
    async look() {
      const now = await look()
      return now.met || now.reason === 'exit' ? now : undefined
    },
    timeoutMs,
    signal,
  })
  return found ?? look()
}
