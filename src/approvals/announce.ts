/** Notifies people outside the hub of each approval once, across several hubs and restarts. */
import type { Log } from '../base/log.ts'
import type { Hooks } from '../base/notify.ts'
import { createNotifier } from '../base/notify.ts'
import type { Redactor } from '../base/redact.ts'
import type { ApprovalRecord, JsonObject } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { toWire } from './approval-wire.ts'

export interface Announcer extends AsyncDisposable {
  /** Returns at once; the hook runs in the background. */
  announce(record: ApprovalRecord): void
  /** Announces pending approvals that no hub has announced yet. */
  announceRest(): Promise<void>
}

export interface AnnouncerOptions {
  readonly hooks: Hooks
  readonly rows: Pick<ApprovalStore, 'claimAnnouncement' | 'listUnannounced'>
  readonly redactor: Pick<Redactor, 'value'>
  readonly log: Log
  readonly now: () => Date
}

export function createAnnouncer({ hooks, rows, redactor, log, now }: AnnouncerOptions): Announcer {
  const notifier = createNotifier(hooks, log)
  /** Approvals that are queued for the hook but not yet claimed. */
  const waiting = new Set<string>()

  function announce(record: ApprovalRecord): void {
    if (!notifier.isOn) return
    const { id } = record
    waiting.add(id)
    const prepare = async () => {
      waiting.delete(id)
      return (await rows.claimAnnouncement(id, now().toISOString())) ? notificationOf(record, redactor) : undefined
    }
    notifier.notify(prepare, { approval: id })
  }

  return {
    announce,
    async announceRest() {
      if (!notifier.isOn) return
      for (const record of await rows.listUnannounced()) if (!waiting.has(record.id)) announce(record)
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  }
}

/** A person does not decide from the text of a hook, so everything that may be a secret is hidden here. */
function notificationOf(record: ApprovalRecord, redactor: Pick<Redactor, 'value'>) {
  const approval = toWire({ ...record, arguments: redactor.value(record.arguments) as JsonObject })
  const { id, session, tool } = approval
  return {
    text: `${session} asks whether it may call ${tool}: signalbox approvals show ${id}`,
    kind: 'approval',
    about: approval,
    variables: {
      SIGNALBOX_APPROVAL_ID: id,
      SIGNALBOX_APPROVAL_SESSION: session,
      SIGNALBOX_APPROVAL_TOOL: tool,
    },
    push: { title: session, body: `Wants to call ${tool}`, tag: `approval:${id}`, path: `approvals/${id}` },
  } as const
}
