/** From what was asked for to a session that runs, or waits its turn. */
import { isOver } from '../api/session.ts'
import type { EventLog } from '../events/events.ts'
import type { Beginning } from './begin.ts'
import type { DraftSession, SessionSpec } from './draft.ts'
import type { JobQueue } from './jobs.ts'
import type { Delivery } from './prompt.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export interface CreatedSession {
  readonly record: SessionRecord
  /** Only where there was a prompt. */
  readonly prompt: Delivery | undefined
}

export interface CreationOptions {
  readonly draft: DraftSession
  readonly equip: (record: SessionRecord, spec: SessionSpec) => Promise<void>
  readonly book: SessionBook
  readonly running: RunningSessions
  readonly begin: Beginning
  readonly jobs: JobQueue
  readonly events: Pick<EventLog, 'append'>
}

export interface Creation {
  create(spec: SessionSpec, signal: AbortSignal): Promise<CreatedSession>
  /** Puts a one-off command into the queue. */
  enqueue(spec: SessionSpec, priority: number): Promise<SessionRecord>
}

export function createCreation({ draft, equip, book, running, begin, jobs, events }: CreationOptions): Creation {
  return {
    async create(spec, signal) {
      const record = await draft(spec)
      const { id, name, template, command } = record
      const terminal = await running.whileStarting(id, async () => {
        await book.add(record)
        await events.append({ type: 'session-created', session: id, payload: { name, template, command } })
        await equip(record, spec)
        return begin.launch(record, { env: spec.env, prompt: spec.prompt })
      })
      const prompt = await begin.prompt(record, terminal, spec.prompt, signal)
      if (prompt?.delivered === false) {
        const lastMessage = `The prompt was not delivered: ${prompt.reason}`
        // If that is because it has ended, what is answered says so.
        await running.settled(id)
        await book.change(id, ({ status }) => (isOver(status) ? undefined : { lastMessage }))
      }
      return { record: await book.find(id), prompt }
    },
    async enqueue(spec, priority) {
      const record = await jobs.add(await draft(spec), priority)
      const { id, name } = record
      await equip(record, spec)
      await events.append({ type: 'job-queued', session: id, payload: { name, priority } })
      await jobs.next()
      return book.find(id)
    },
  }
}
