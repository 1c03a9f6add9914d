/**
 * Where approvals are changed. Of every change, made at this hub or at another over the same database, hear: the calls
 * that wait, the resources' subscribers, and the event log.
 */
import type { ApprovalStatus } from '../api/approval.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { Change, ChangingRows } from './approval-changes.ts'
import { createChanges } from './approval-changes.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { placeInLog } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { pendingUri, approvalUri, sessionApprovalsUri } from './approval-uris.ts'

export interface ApprovalBook extends AsyncDisposable {
  /** All of it or nothing. `payload` goes with the events of what it changes. */
  change<Result>(
    work: (rows: ChangingRows) => Promise<Result>,
    payload?: Readonly<Record<string, unknown>>,
  ): Promise<Result>
  /** Calls back after each change of this approval. Returns the way to stop. */
  onChange(id: string, listener: () => void): () => void
  onAnyChange(listener: () => void): () => void
}

export interface ApprovalBookOptions {
  readonly store: Store
  readonly rows: Pick<ApprovalStore, 'changedSince' | 'lastRevision'>
  readonly hubId: string
  readonly notices: Notices
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
  /** In memory they must be what they are in the store before the change is answered. */
  readonly onGrantsChange: () => Promise<void>
}

const channel = 'signalbox_approvals'
const toldAtOnce = 1_000

export async function openApprovalBook(options: ApprovalBookOptions): Promise<ApprovalBook> {
  const { store, rows, hubId, notices, events, log, onGrantsChange } = options
  const listeners = new Map<string, Set<() => void>>()
  const ofAny = new Set<() => void>()
  const onFault = (error: unknown) => log.error({ error }, 'changes of approvals at other hubs could not be read')
  /** Up to here the other hubs' changes have been heard of. */
  let heard = await rows.lastRevision()

  function tell({ id, sessionId, sessionName }: ChangedApproval): void {
    for (const uri of [pendingUri, approvalUri(id)]) notices.resourceChanged(uri)
    // Whoever follows a session may know it by either.
    for (const session of [sessionId, sessionName]) notices.resourceChanged(sessionApprovalsUri(session))
    for (const listener of [...(listeners.get(id) ?? []), ...ofAny]) listener()
  }

  function hear(payload: string): void {
    const { hub, approval, areGrantsChanged } = JSON.parse(payload) as Announcement
    if (hub === hubId) return
    if (approval) {
      heard = approval.revision
      tell(approval)
    }
    if (areGrantsChanged) onGrantsChange().catch(onFault)
  }

  /** After a broken connection: what was not heard is looked up. */
  async function catchUp(): Promise<void> {
    await onGrantsChange()
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
    async change(work, payload = {}) {
      const { result, changed, areGrantsChanged } = await makeChange(work)
      for (const record of changed) tell(record)
      if (areGrantsChanged) await onGrantsChange()
      for (const record of changed) await events.append(eventOf(record, payload))
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

function eventOf(record: ApprovalRecord, payload: Readonly<Record<string, unknown>>) {
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
      ...payload,
    },
  }
}

const eventTypes: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'approval-requested',
  approved: 'approval-decided',
  denied: 'approval-decided',
  aborted: 'approval-decided',
  consumed: 'approval-consumed',
  expired: 'approval-expired',
  abandoned: 'approval-abandoned',
}
