/**
 * All changes of approvals go through this file. Each change, made here or at another hub on the same database, reaches
 * the waiting calls and the subscribers of the resources. The hub that made the change also writes it to the event log.
 */
import type { ApprovalStatus } from '../api/approval.ts'
import type { EventPayload, EventType, NewEvent } from '../api/event.ts'
import type { Deadlines } from '../base/deadlines.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { isDiskFailure } from '../base/sqlite-file.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { Change, ChangingRows } from './approval-changes.ts'
import { createChanges } from './approval-changes.ts'
import { isEnded } from './approval-outcome.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { placeInLog } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { approvalUri, grantsUri, pendingUri, sessionApprovalsUri } from './approval-uris.ts'

export interface ApprovalRegistry extends AsyncDisposable {
  /** Runs `work` in one transaction. `answer` is added to the events of the approvals that it changes. */
  change<Result>(work: (rows: ChangingRows) => Promise<Result>, answer?: AnswerFacts): Promise<Result>
  /** Calls the listener after each change of this approval. Returns a function that stops it. */
  onChange(id: string, listener: () => void): () => void
  /** The listener gets the id of the session. */
  onAnyChange(listener: (session: string) => void): () => void
}

/** The facts about a person's answer that go into the events. */
export type AnswerFacts = Pick<EventPayload<'approval-decided'>, 'scope' | 'token_id'>

export interface ApprovalRegistryOptions {
  readonly store: Store
  readonly rows: Pick<ApprovalStore, 'changedSince' | 'lastRevision'>
  readonly hubId: string
  readonly notices: Notices
  readonly events: Pick<EventLog, 'append' | 'note'>
  readonly log: Log
  /** The deadlines of the open approvals. */
  readonly deadlines: Deadlines
  /** Reloads the grants in memory. A change returns only after this, so that memory agrees with the store. */
  readonly onGrantsChange: () => Promise<void>
}

const channel = 'signalbox_approvals'
const toldAtOnce = 1_000

export async function openApprovalRegistry(options: ApprovalRegistryOptions): Promise<ApprovalRegistry> {
  const { store, rows, hubId, notices, events, log, deadlines, onGrantsChange } = options
  const listeners = new Map<string, Set<() => void>>()
  const ofAny = new Set<(session: string) => void>()
  const onFault = (error: unknown) => log.error({ error }, 'changes of approvals at other hubs could not be read')
  /** The last revision that this hub has received from other hubs. */
  let heard = await rows.lastRevision()

  function tell({ id, sessionId, sessionName }: ChangedApproval): void {
    for (const uri of [pendingUri, approvalUri(id)]) notices.resourceChanged(uri)
    // Clients may subscribe to a session by its id or by its name.
    for (const session of [sessionId, sessionName]) notices.resourceChanged(sessionApprovalsUri(session))
    for (const listener of listeners.get(id) ?? []) listener()
    for (const listener of ofAny) listener(sessionId)
  }

  async function loadGrants(): Promise<void> {
    await onGrantsChange()
    notices.resourceChanged(grantsUri)
  }

  function hear(payload: string): void {
    const { hub, approval, areGrantsChanged } = JSON.parse(payload) as Announcement
    if (hub === hubId) return
    if (approval) {
      heard = approval.revision
      tell(approval)
    }
    if (areGrantsChanged) loadGrants().catch(onFault)
  }

  /** Reads the changes that this hub missed while its connection for notices was broken. */
  async function catchUp(): Promise<void> {
    await loadGrants()
    for (;;) {
      const missed = await rows.changedSince(heard, toldAtOnce)
      for (const record of missed) tell(record)
      heard = missed.at(-1)?.revision ?? heard
      if (missed.length < toldAtOnce) return
    }
  }
  const listening = await store.postgres?.listen(channel, {
    onNotice: hear,
    onGap: () => void catchUp().catch(onFault),
  })

  async function announce(inside: Store['db'], { changed, areGrantsChanged }: Omit<Change<unknown>, 'result'>) {
    if (store.engine !== 'postgres') return
    const announcements: Announcement[] = changed.map(({ id, sessionId, sessionName, revision }) => ({
      hub: hubId,
      approval: { id, sessionId, sessionName, revision },
    }))
    if (areGrantsChanged) announcements.push({ hub: hubId, areGrantsChanged })
    for (const each of announcements) {
      const payload = JSON.stringify(each)
      await inside.selectNoFrom(({ fn, val }) => fn('pg_notify', [val(channel), val(payload)]).as('told')).execute()
    }
  }
  const makeChange = createChanges({ store, announce })

  return {
    async change(work, answer = {}) {
      const { result, changed, areGrantsChanged } = await makeChange(work).catch(explainDiskFailure)
      for (const record of changed) {
        if (isEnded(record)) deadlines.forget(record.id)
        else deadlines.begin(record.id, record.expiresAt)
        tell(record)
      }
      if (areGrantsChanged) await loadGrants()
      await Promise.all(
        changed.map((record) => {
          const event = eventOf(record, answer)
          // Its call does not run, so a log that is full or locked keeps no person from it.
          return mayStillRun(record) ? events.append(event) : events.note(event)
        }),
      )
      return result
    },
    onChange(id, listener) {
      const some = listeners.get(id) ?? new Set()
      listeners.set(id, some.add(listener))
      return () => {
        some.delete(listener)
        if (some.size === 0 && listeners.get(id) === some) listeners.delete(id)
      }
    },
    onAnyChange(listener) {
      ofAny.add(listener)
      return () => void ofAny.delete(listener)
    },
    [Symbol.asyncDispose]: async () => listening?.[Symbol.asyncDispose](),
  }
}

type ChangedApproval = Pick<ApprovalRecord, 'id' | 'sessionId' | 'sessionName' | 'revision'>

interface Announcement {
  readonly hub: string
  readonly approval?: ChangedApproval
  readonly areGrantsChanged?: boolean
}

function eventOf(record: ApprovalRecord, answer: AnswerFacts): NewEvent {
  const { id, tool, digest, status, rule, policyVersion, decidedBy, reason } = record
  return {
    type: eventTypes[status],
    ...placeInLog(record),
    payload: {
      approval: id,
      tool,
      digest,
      status,
      policy_version: policyVersion,
      ...(rule !== undefined && { rule }),
      ...(decidedBy !== undefined && { by: decidedBy }),
      ...(reason !== undefined && { reason }),
      ...answer,
    },
  }
}

/** A call that waits still waits, so it does not run. A grant stays in force. */
function explainDiskFailure(error: unknown): never {
  if (!isDiskFailure(error)) throw error
  const reason = messageOf(error)
  throw new HubError(
    'unavailable',
    `Nothing has changed, because it could not be stored (${reason}). Free some space, then try again.`,
    { cause: error },
  )
}

/** Or it runs already. */
function mayStillRun({ status }: ApprovalRecord): boolean {
  return status === 'pending' || status === 'approved' || status === 'consumed'
}

const eventTypes = {
  pending: 'approval-requested',
  approved: 'approval-decided',
  denied: 'approval-decided',
  aborted: 'approval-decided',
  consumed: 'approval-consumed',
  expired: 'approval-expired',
  abandoned: 'approval-abandoned',
} as const satisfies Readonly<Record<ApprovalStatus, EventType>>
