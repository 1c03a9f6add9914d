/** Asks the agent of a session: gives it a prompt and waits for the end of its turn. */
import type { Activity } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Run } from '../drivers/drivers.ts'
import type { Turns } from '../gate/gate.ts'
import type { AskSession } from './route.ts'

interface SessionRecord {
  readonly id: string
  readonly name: string
}

export interface AskAgentOptions<Record extends SessionRecord> {
  readonly sessions: {
    find(nameOrId: string): Promise<Record>
    runOf(record: Record): Promise<Run>
    activityOf(record: Record): Activity
  }
  readonly turns: Pick<Turns, 'begin' | 'onEnd'>
  readonly threads: { currentOf(sessionId: string): string | undefined }
}

/** As long as an approval can wait for its answer. */
const longestMs = 3_600_000

export function createAskAgent<Record extends SessionRecord>({
  sessions,
  turns,
  threads,
}: AskAgentOptions<Record>): AskSession {
  return async ({ session, text, caller, correlation, event: parent, signal }) => {
    const record = await sessions.find(session)
    const { id, name } = record
    const run = await sessions.runOf(record)
    if (!run.hasThread) throw notDelivered(`The hub cannot read what the program of "${name}" says.`)
    const turn = await turns.begin({
      session: record,
      caller: caller === undefined ? undefined : await sessions.find(caller),
      prompt: text,
      isBusy: sessions.activityOf(record).is === 'working',
      correlation,
      parent,
    })
    const { delivered, reason = 'The agent did not take the prompt.' } = await run.prompt(text, signal)
    if (!delivered) {
      await turn.cancel(reason)
      throw notDelivered(`"${name}" did not get the prompt: ${reason}`)
    }
    try {
      const outcome = await waitUntil({
        sources: [(listener) => turns.onEnd(id, listener)],
        look: () => turn.outcome,
        timeoutMs: longestMs,
        signal,
      })
      const thread = threads.currentOf(id)
      return { ...(outcome ?? { status: 'failed', reason: 'It did not answer in time.' }), thread_id: thread }
    } catch (error) {
      if (turn.isCurrent) await run.interrupt?.()
      throw error
    }
  }
}

function notDelivered(message: string): HubError {
  return new HubError('unavailable', message, { data: { delivered: false } })
}
