/**
 * Approvals: a call that must ask waits for a person, outlives the hub, is answered once and used once; and grants, what
 * an answer leaves behind when it was given for more than one call.
 *
 *   pending → approved → consumed
 *           → denied | aborted | expired | abandoned
 */
import { every } from '../base/every.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Hooks } from '../base/notify.ts'
import type { Principal } from '../base/principal.ts'
import type { Redactor } from '../base/redact.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { CompiledGrant } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import { createAnnouncer } from './announce.ts'
import { openApprovalBook } from './approval-book.ts'
import type { Outcome } from './approval-life.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { ApprovalFilter, GrantFilter } from './approval-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { fitIntoAnswer } from './approval-wire.ts'
import { createClosing } from './closing.ts'
import type { Answer, Preview } from './decide-approval.ts'
import { createDecisions } from './decide-approval.ts'
import { createGrantMemory, revokeGrant } from './grants.ts'
import type { ApprovalRequest, HeldCall } from './holds.ts'
import { createHolds, onAbort } from './holds.ts'

export type { Outcome } from './approval-life.ts'
export type { ApprovalRecord, GrantRecord } from './approval-record.ts'
export { createApprovalProvider } from './approval-tools.ts'
export type { Answer } from './decide-approval.ts'
export type { GrantRule } from './draft-grant.ts'
export type { ApprovalRequest, HeldCall } from './holds.ts'

export interface Approvals extends AsyncDisposable {
  /**
   * Asks, and waits for the answer as long as a call is held. `approved` is used up by then: the caller runs the tool,
   * and nobody else does. Rejects where the caller has left while nobody was asked for it.
   */
  obtain(request: ApprovalRequest, call: HeldCall): Promise<Outcome>
  decide(id: string, answer: Answer, by: Principal): Promise<ApprovalRecord>
  /** What that answer would leave behind; changes nothing. */
  preview(id: string, answer: Answer): Promise<Preview>
  /** With all its arguments. */
  find(id: string): Promise<ApprovalRecord>
  /** Newest first, with excerpts of arguments that are large. */
  list(filter: ApprovalFilter): Promise<readonly ApprovalRecord[]>
  /** What changed since; without a cursor, what is pending. Waits until there is something, or the time is up. */
  wait(options: { since?: number | undefined; timeoutMs: number; signal: AbortSignal }): Promise<News>
  /** For the hot path: what holds in this session, compiled. */
  grantsOf(session: string): readonly CompiledGrant[]
  listGrants(filter: GrantFilter): Promise<readonly GrantRecord[]>
  revokeGrant(id: string, by: Principal): Promise<GrantRecord>
  /** The session has ended: none of its calls will come any more, and its grants are void. */
  abandonOf(session: string): Promise<void>
  /** Whoever waits, here or in `wait`, is told to come back, and nobody waits any more: the hub stops. */
  endHolds(): void
  /** Expires, abandons and announces what is due. The hub does it by itself. */
  sweep(): Promise<void>
}

export interface News {
  readonly approvals: readonly ApprovalRecord[]
  readonly cursor: number
}

export interface ApprovalsOptions {
  readonly store: Store
  readonly hubId: string
  readonly notices: Notices
  readonly events: Pick<EventLog, 'append'>
  readonly redactor: Redactor
  readonly log: Log
  readonly holdMs: number
  /** What nobody has answered by then is denied. */
  readonly expiryMs: number
  readonly hooks: Hooks
  /** Of the policies that hold for a session now. */
  readonly policyVersionOf?: (session: string) => Promise<string>
  readonly signOfLifeMs?: number
  readonly now?: () => Date
}

const sweepMs = 5_000
const mostNews = 200

export async function openApprovals(options: ApprovalsOptions): Promise<Approvals> {
  const { store, hubId, notices, events, redactor, log, holdMs, expiryMs, hooks } = options
  const { signOfLifeMs = 10_000, now = () => new Date() } = options
  await using opened = new AsyncDisposableStack()
  // Whoever knows such an address may write to the channel behind it.
  if (hooks.url !== undefined) redactor.addSecret(hooks.url)
  const ending = new AbortController()
  const rows = createApprovalStore(store)
  const memory = createGrantMemory({ rows, log })
  const onGrantsChange = () => memory.load()
  const book = opened.use(await openApprovalBook({ store, rows, hubId, notices, events, log, onGrantsChange }))
  // Only now: whatever changes from here on is heard of.
  await memory.load()
  const announcer = opened.use(createAnnouncer({ hooks, rows, redactor, log, now }))
  const holds = createHolds({
    book,
    rows,
    hubId,
    redactor,
    holdMs,
    expiryMs,
    signOfLifeMs,
    now,
    ending: ending.signal,
    onAsked: (record) => announcer.announce(record),
  })
  opened.defer(() => ending.abort())
  const decisions = createDecisions({ book, rows, events, redactor, now })
  const closing = createClosing({ book, rows, events, now })

  async function sweep(): Promise<void> {
    if (!memory.isLoaded) await memory.load()
    await closing.sweep()
    await announcer.announceRest()
  }
  await sweep()
  opened.use(every(sweepMs, log, sweep))

  async function look(since: number | undefined): Promise<News | undefined> {
    const latest = since ?? (await rows.lastRevision())
    const found = since === undefined ? await rows.listPending(mostNews) : await rows.changedSince(since, mostNews)
    const approvals = fitIntoAnswer(found)
    const last = approvals.at(-1)
    if (!last) return undefined
    // What did not fit has changed after the last that did, and comes next.
    const isAllPending = since === undefined && approvals.length === found.length && found.length < mostNews
    return { approvals, cursor: isAllPending ? latest : last.revision }
  }

  /** Under another policy its call will be judged anew: an answer that can have no effect is not taken. */
  async function dropOutdated(id: string): Promise<void> {
    const record = await rows.find(id)
    if (record?.status !== 'pending' || record.hubId !== hubId || holds.isHeld(record)) return
    if (((await options.policyVersionOf?.(record.sessionId)) ?? record.policyVersion) === record.policyVersion) return
    await book.change(async (changing) => {
      const found = await changing.find(id)
      if (found?.status === 'pending') await changing.save(found, { status: 'abandoned' })
    })
  }

  const running = opened.move()
  return {
    obtain: (request, call) => holds.obtain(request, call),
    async decide(id, answer, by) {
      await dropOutdated(id)
      return decisions.decide(id, answer, by)
    },
    preview: (id, answer) => decisions.preview(id, answer),
    async find(id) {
      const record = await rows.findWhole(id)
      if (record) return record
      throw new HubError('not-found', `There is no approval "${id}". Call list_approvals for the ids.`)
    },
    list: (filter) => rows.list(filter),
    async wait({ since, timeoutMs, signal }) {
      const nothing = { approvals: [], cursor: since ?? (await rows.lastRevision()) }
      const found = await waitUntil({
        sources: [book.onAnyChange, (listener) => onAbort(ending.signal, listener)],
        look: async () => (await look(since)) ?? (ending.signal.aborted ? nothing : undefined),
        timeoutMs,
        signal,
      })
      return found ?? nothing
    },
    grantsOf: (session) => memory.of(session),
    listGrants: (filter) => rows.listGrants(filter),
    revokeGrant: (id, by) => revokeGrant(id, by, { book, events, now }),
    abandonOf: (session) => closing.abandonOf(session),
    endHolds: () => ending.abort(),
    sweep,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
