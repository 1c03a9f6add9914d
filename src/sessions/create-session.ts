/** Creates a session from a request, and starts or queues it. */
import type { Delivery } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'
import type { DeliverPrompt } from './deliver-prompt.ts'
import type { SessionStarter } from './start-session.ts'
import type { Draft, DraftSession, SessionSpec } from './draft.ts'
import type { EquippingSpec } from './equip.ts'
import type { JobQueue } from './jobs.ts'
import type { DraftResumed } from './resume-session.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface CreatedSession {
  readonly record: SessionRecord
  /** Only if the request had a prompt. */
  readonly prompt: Delivery | undefined
}

export interface CreationOptions {
  readonly draft: DraftSession
  readonly draftResumed: DraftResumed
  readonly equip: (draft: Draft, spec: EquippingSpec) => Promise<readonly string[]>
  readonly registry: SessionRegistry
  readonly running: RunningSessions
  readonly starter: SessionStarter
  readonly jobs: JobQueue
  readonly events: Pick<EventLog, 'append'>
  readonly deliver: DeliverPrompt
}

type StartSpec = EquippingSpec & Pick<SessionSpec, 'env' | 'prompt' | 'continues' | 'from'>

export interface Creation {
  create(spec: SessionSpec, signal: AbortSignal): Promise<CreatedSession>
  /** Creates a session that continues the conversation of an ended one. */
  resume(
    ended: SessionRecord,
    spec: Pick<SessionSpec, 'prompt' | 'by' | 'from'>,
    signal: AbortSignal,
  ): Promise<CreatedSession>
  /** Puts a one-off command or an agent into the queue. */
  enqueue(spec: SessionSpec, priority: number): Promise<SessionRecord>
}

export function createCreation({
  draft,
  draftResumed,
  equip,
  registry,
  running,
  starter,
  jobs,
  events,
  deliver,
}: CreationOptions): Creation {
  async function start(drafted: Draft, spec: StartSpec, signal: AbortSignal): Promise<CreatedSession> {
    const { record } = drafted
    const { id, name, template, command, resumedFrom } = record
    const run = await running.whileStarting(record, async () => {
      await registry.add(record)
      const payload = { name, template, command, ...(resumedFrom !== undefined && { resumed_from: resumedFrom }) }
      await events.append({ type: 'session-created', session: id, payload })
      const warnings = await equip(drafted, spec)
      return starter.launch(
        { ...record, lastMessage: withNotes(record.lastMessage, warnings) },
        {
          env: spec.env,
          prompt: spec.prompt,
          continues: spec.continues?.thread,
        },
      )
    })
    if (spec.prompt === undefined) return { record: await registry.find(id), prompt: undefined }
    const prompt = await deliver(record, run, { text: spec.prompt, from: spec.from, signal })
    return { record: await registry.find(id), prompt }
  }

  return {
    async create(spec, signal) {
      using drafted = await draft(spec)
      return await start(drafted, spec, signal)
    },
    async resume(ended, spec, signal) {
      using drafted = await draftResumed(ended)
      return await start(drafted, spec, signal)
    },
    async enqueue(spec, priority) {
      using drafted = await draft(spec)
      const record = await jobs.add(drafted.record, { priority, prompt: spec.prompt })
      const { id, name } = record
      const warnings = await equip({ ...drafted, record }, spec)
      if (warnings.length > 0) {
        await registry.change(id, ({ lastMessage }) => ({ lastMessage: withNotes(lastMessage, warnings) }))
      }
      const { correlation, event: parent } = spec.from ?? {}
      const place = { ...(correlation !== undefined && { correlation }), ...(parent !== undefined && { parent }) }
      await events.append({ type: 'job-queued', session: id, ...place, payload: { name, priority } })
      await jobs.next()
      return registry.find(id)
    },
  }
}

function withNotes(message: string | undefined, notes: readonly string[]): string | undefined {
  const all = [message, ...notes].filter((note) => note !== undefined)
  return all.length > 0 ? all.join(' ') : undefined
}
