/**
 * Approvals: a call that needs one waits for a person. An approval survives restarts of the hub, is answered once and
 * used once. An answer for more than one call also makes a grant.
 *
 *   pending → approved → consumed
 *           → denied | aborted | expired | abandoned
 */
import { createDeadlines } from '../base/deadlines.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Hooks } from '../base/notify.ts'
import type { Redactor } from '../base/redact.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { EventLog } from '../events/events.ts'
import type { Feature, SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { createAnnouncer } from './announce.ts'
import { openApprovalRegistry } from './approval-registry.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { createApprovalStore } from './approval-store.ts'
import { createApprovalProvider } from './approval-tools.ts'
import { fitIntoAnswer } from './approval-wire.ts'
import type { Approvals, News } from './approval.ts'
import { createSweeper } from './sweeper.ts'
import { createDecisions } from './decide-approval.ts'
import { revokeGrant } from './grants.ts'
import type { GrantMemory } from './grants.ts'
import { createHolds, onAbort } from './holds.ts'
import { watchPending } from './watch-pending.ts'

export type { Approvals } from './approval.ts'
export type { Answer } from './decide-approval.ts'
export type { GrantRule } from './draft-grant.ts'
export { createGrants } from './grants.ts'
export type { GrantMemory } from './grants.ts'

export interface ApprovalsOptions {
  readonly store: Store
  readonly hubId: string
  readonly notices: Notices
  readonly events: Pick<EventLog, 'append' | 'note'>
  readonly redactor: Redactor
  readonly log: Log
  /** The hold for every client. Without it, each client's own hold time is used; see `hold-times.ts`. */
  readonly holdMs: number | undefined
  /** An approval without an answer expires after this time, which denies its call. */
  readonly expiryMs: number
  /** The limit for all ended approvals together. */
  readonly maxEndedBytes: number
  readonly hooks: Hooks
  readonly signals: SignalSender
  readonly grants: GrantMemory
  readonly policies: {
    /** The version of the policies that apply to a session now. */
    versionOf(session: string): Promise<string>
  }
  /** Takes a name or an id. Throws if there is no such session. */
  readonly findSession: (nameOrId: string) => Promise<{ readonly id: string }>
  readonly heartbeatMs?: number
  readonly now?: () => Date
  readonly elapsedMs?: () => number
}

const sweepMs = 5_000
const mostNews = 200

export async function openApprovals(options: ApprovalsOptions): Promise<Approvals> {
  const {
    store,
    hubId,
    notices,
    signals,
    grants,
    policies,
    events,
    redactor,
    log,
    holdMs,
    expiryMs,
    maxEndedBytes,
    hooks,
  } = options
  const { heartbeatMs = 10_000, now = () => new Date(), elapsedMs = () => performance.now() } = options
  await using opened = new AsyncDisposableStack()
  // The address works like a password: anyone who knows it can post to the team's channel.
  if (hooks.url !== undefined) redactor.addSecret(hooks.url)
  const ending = new AbortController()
  const rows = createApprovalStore(store)
  const onGrantsChange = () => grants.load()
  const deadlines = createDeadlines({ now, elapsedMs })
  for (const { id, expiresAt } of await rows.listExpiries()) deadlines.begin(id, expiresAt)
  const registry = opened.use(
    await openApprovalRegistry({ store, rows, hubId, notices, events, log, deadlines, onGrantsChange }),
  )
  // Load the grants only after the registry listens for changes, so that none is missed.
  await grants.load()
  const announcer = opened.use(createAnnouncer({ hooks, rows, redactor, log, now }))
  const holds = createHolds({
    registry,
    rows,
    hubId,
    redactor,
    holdMs,
    expiryMs,
    heartbeatMs,
    now,
    deadlines,
    ending: ending.signal,
    onAsked: (record) => announcer.announce(record),
  })
  opened.defer(() => ending.abort())
  const pending = opened.use(watchPending({ registry, rows, holds, hubId, log, signals }))
  const decisions = createDecisions({ registry, rows, events, redactor, now, deadlines })
  const sweeper = createSweeper({ registry, rows, events, now, deadlines })

  let hasNews = true
  opened.defer(registry.onAnyChange(() => void (hasNews = true)))

  async function sweep(): Promise<void> {
    if (!grants.isLoaded) await grants.load()
    await sweeper.sweep()
    if (hasNews) {
      hasNews = false
      await rows.dropEnded(maxEndedBytes)
    }
    await announcer.announceRest()
    await pending.retry()
  }
  await sweep()

  async function look(since: number | undefined): Promise<News | undefined> {
    const latest = since ?? (await rows.lastRevision())
    const found = since === undefined ? await rows.listPending(mostNews) : await rows.changedSince(since, mostNews)
    const approvals = fitIntoAnswer(found.map(withAwaited))
    const last = approvals.at(-1)
    if (!last) return undefined
    // If some did not fit, the cursor is the revision of the last one that did: the rest changed later and comes next.
    const isAllPending = since === undefined && approvals.length === found.length && found.length < mostNews
    return { approvals, cursor: isAllPending ? latest : last.revision }
  }

  /**
   * Abandons an approval whose policy version is outdated. Its call will be decided under the new policy, so an answer
   * to the old question would have no effect.
   */
  async function dropOutdated(id: string): Promise<void> {
    const record = await rows.find(id)
    if (record?.status !== 'pending' || record.hubId !== hubId || holds.isHeld(record)) return
    if ((await policies.versionOf(record.sessionId)) === record.policyVersion) return
    await registry.change(async (changing) => {
      const found = await changing.find(id)
      if (found?.status === 'pending') await changing.save(found, { status: 'abandoned' })
    })
  }

  /** Adds whether a call still waits: its hold may have ended, its client may be gone, or the hub may have restarted. */
  function withAwaited(record: ApprovalRecord): ApprovalRecord {
    const isKnown = record.status === 'pending' && record.hubId === hubId
    return isKnown ? { ...record, isAwaited: holds.isAwaited(record) } : record
  }

  const running = opened.move()
  const approvals: Omit<Approvals, keyof Feature> = {
    obtain: (request, call) => holds.obtain(request, call),
    async decide(id, answer, by) {
      await dropOutdated(id)
      const open = await rows.find(id)
      const isAwaited = open && withAwaited(open).isAwaited
      return { ...(await decisions.decide(id, answer, by)), isAwaited }
    },
    preview: (id, answer) => decisions.preview(id, answer),
    async find(id) {
      const record = await rows.findWhole(id)
      if (record) return withAwaited(record)
      throw new HubError('not-found', `There is no approval "${id}". Call list_approvals for the ids.`)
    },
    list: async (filter) => (await rows.list(filter)).map(withAwaited),
    async wait({ since, timeoutMs, signal }) {
      const nothing = { approvals: [], cursor: since ?? (await rows.lastRevision()) }
      const found = await waitUntil({
        sources: [registry.onAnyChange, (listener) => onAbort(ending.signal, listener)],
        look: async () => (await look(since)) ?? (ending.signal.aborted ? nothing : undefined),
        timeoutMs,
        signal,
      })
      return found ?? nothing
    },
    listGrants: (filter) => rows.listGrants(filter),
    revokeGrant: (id, by) => revokeGrant(id, by, { registry, events, now }),
    abandonOf: (session) => sweeper.abandonOf(session),
    endHolds: () => ending.abort(),
    sweep,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return {
    ...approvals,
    providers: [createApprovalProvider({ approvals, findSession: options.findSession })],
    on: { 'session-ended': ({ session }) => sweeper.abandonOf(session) },
    start: () => pending.begin(),
    sweeps: [{ everyMs: sweepMs, run: sweep }],
  }
}
