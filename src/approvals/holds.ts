/**
 * Holds a call that needs approval.
 *
 *   ask, or find the approval of an earlier equal call → hold → consume the approval, or report why not
 *
 * Equal calls at the same time share one approval. A denial answers all of them. An approval lets one through, and the
 * others ask again. The store marks an approval as consumed before the caller learns of it. So no call runs twice,
 * through any hub, and no call runs without approval.
 */
import { randomBytes } from 'node:crypto'
import type { ApprovalOutcome, ApprovalRequest, HeldCall } from '../api/approval.ts'
import { createBatch } from '../base/batch.ts'
import { digestOf } from '../base/call-digest.ts'
import { jsonSize } from '../base/json-size.ts'
import type { Deadlines } from '../base/deadlines.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Redactor } from '../base/redact.ts'
import type { ApprovalRegistry } from './approval-registry.ts'
import type { ChangingRows, NewApproval, SameCall } from './approval-changes.ts'
import type { Consumed, Ending } from './approval-outcome.ts'
import { endingOf } from './approval-outcome.ts'
import type { ApprovalRecord, JsonObject } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { holdMsOf } from './hold-times.ts'
import type { HeldCalls } from './pending-limits.ts'
import { assertBelowLimits, assertFewHeld } from './pending-limits.ts'
import { startHeartbeat } from './heartbeat.ts'

export interface Holds {
  obtain(request: ApprovalRequest, call: HeldCall): Promise<ApprovalOutcome>
  /** A call at this hub waits for this approval now. Its client may be away. */
  isHeld(record: ApprovalRecord): boolean
  /** The same, and its client is there. */
  isAwaited(record: ApprovalRecord): boolean
  /** A call of this session waits at this hub now, and its client is there. */
  holdsAny(sessionId: string): boolean
  /** The number of this session's approvals whose waiting clients are all away. These clients may come back. */
  countDeserted(sessionId: string): number
  /** The listener gets the id of the session whose client has left or is back. Returns a function that stops it. */
  onAwayChange(listener: (sessionId: string) => void): () => void
}

export interface HoldsOptions {
  readonly registry: ApprovalRegistry
  readonly rows: Pick<ApprovalStore, 'find'>
  readonly hubId: string
  readonly redactor: Redactor
  /** The hold for every client. Without it, each client's own hold time is used; see `hold-times.ts`. */
  readonly holdMs: number | undefined
  readonly expiryMs: number
  readonly heartbeatMs: number
  readonly now: () => Date
  readonly deadlines: Deadlines
  /** When it aborts, all holds end and the callers are told to come back. */
  readonly ending: AbortSignal
  /** Called for each new approval, to notify people. */
  readonly onAsked: (record: ApprovalRecord) => void
}

/** Timers cannot be longer. */
const longestTimerMs = 2 ** 31 - 1

type SoughtCall = SameCall & Pick<ApprovalRecord, 'policyVersion'>

export function createHolds(options: HoldsOptions): Holds {
  const { registry, rows, hubId, redactor, holdMs, expiryMs, heartbeatMs, now, deadlines, ending, onAsked } = options
  const hasExpired = ({ id, expiresAt }: ApprovalRecord) => deadlines.hasPassed(id, expiresAt)
  /** The number of calls at this hub, by key. */
  const present = new Map<string, number>()
  /** The calls at this hub, by session. */
  const ofSession = new Map<string, HeldCalls>()
  /** Those whose clients are away. */
  const away = new Map<string, number>()
  const awayListeners = new Set<(sessionId: string) => void>()

  function enter(sought: SoughtCall, bytes: number): Disposable {
    const key = keyOf(sought)
    const { sessionId } = sought
    const held = ofSession.get(sessionId) ?? { count: 0, bytes: 0 }
    assertFewHeld(held)
    ofSession.set(sessionId, { count: held.count + 1, bytes: held.bytes + bytes })
    add(present, key, 1)
    return {
      [Symbol.dispose]() {
        add(present, key, -1)
        const now = ofSession.get(sessionId)!
        if (now.count > 1) ofSession.set(sessionId, { count: now.count - 1, bytes: now.bytes - bytes })
        else ofSession.delete(sessionId)
      },
    }
  }

  /** Follows whether the client of a call is there. */
  function follow(sought: SoughtCall, { onAway }: HeldCall): FollowedClient {
    const key = keyOf(sought)
    const listeners = new Set<() => void>()
    let isAway = false
    function note(now: boolean): void {
      if (now === isAway) return
      isAway = now
      add(away, key, now ? 1 : -1)
      for (const listener of awayListeners) listener(sought.sessionId)
      for (const listener of listeners) listener()
    }
    onAway?.(note)
    return {
      get isAway() {
        return isAway
      },
      onChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      [Symbol.dispose]() {
        onAway?.(() => {})
        note(false)
      },
    }
  }

  function isAttended(key: string): boolean {
    return (present.get(key) ?? 0) > (away.get(key) ?? 0)
  }

  async function obtain(request: ApprovalRequest, call: HeldCall): Promise<ApprovalOutcome> {
    const { session: sessionId, tool, policyVersion } = request
    const sought = { sessionId, tool, policyVersion, digest: digestOf(request) }
    const until = performance.now() + (call.holdMs ?? holdMs ?? holdMsOf(call.clientName))
    using presence = new DisposableStack()
    presence.use(enter(sought, jsonSize(request.arguments)))
    const client = presence.use(follow(sought, call))
    for (;;) {
      call.signal.throwIfAborted()
      const { record, isNew } = await registry.change((changing) => admit(changing, sought, request))
      if (isNew) onAsked(record)
      const ended = endingOf(record)
      if (!ended) await call.onHeld?.(record.id)
      const outcome = ended ?? (await hold(record, until, call, client))
      if (outcome.status === 'consumed') continue
      if (!call.signal.aborted) return outcome
      presence.dispose()
      await abandon({ id: record.id, sought, isTaken: outcome.status === 'approved' })
      return { status: 'abandoned', id: record.id }
    }
  }

  /** Returns the call's open approval, an answer that no call has received yet, or a new approval. */
  async function admit(changing: ChangingRows, sought: SoughtCall, request: ApprovalRequest) {
    const open = await changing.findOpen(sought)
    for (const other of open) {
      if (other.policyVersion !== sought.policyVersion) await changing.save(other, { status: 'abandoned' })
    }
    const same = open.find(({ policyVersion }) => policyVersion === sought.policyVersion)
    if (same && !hasExpired(same)) {
      return { record: same.hubId === hubId ? same : await changing.save(same, { hubId }), isNew: false }
    }
    const toldAt = now().toISOString()
    if (same) return { record: await changing.save(same, { status: 'expired', toldAt }), isNew: false }
    const untold = await changing.findUntold(sought)
    if (untold) return { record: await changing.save(untold, { toldAt }), isNew: false }
    assertBelowLimits(sought.tool, await changing.weighPending(sought.sessionId))
    return { record: await changing.insert(newRecord(sought, request)), isNew: true }
  }

  function newRecord(
    sought: SoughtCall,
    { rule, reason, correlation, parent, ...request }: ApprovalRequest,
  ): NewApproval {
    const requestedAt = now()
    const { value, hidden } = redactor.forPerson(request.arguments)
    return {
      ...sought,
      id: `a${randomBytes(6).toString('hex')}`,
      hubId,
      arguments: value as JsonObject,
      hidden,
      rule,
      ruleReason: reason,
      status: 'pending',
      correlation,
      parent,
      requestedAt: requestedAt.toISOString(),
      expiresAt: new Date(requestedAt.getTime() + expiryMs).toISOString(),
      decidedAt: undefined,
      decidedBy: undefined,
      reason: undefined,
      grantId: undefined,
      toldAt: undefined,
    }
  }

  /**
   * A hold does not end while its client is away, because no client would read the result. If the client does not come
   * back, its call is cancelled.
   */
  async function hold(
    record: ApprovalRecord,
    until: number,
    call: HeldCall,
    client: FollowedClient,
  ): Promise<ApprovalOutcome | Consumed> {
    const { id, expiresAt } = record
    const { signal } = call
    using _ = startHeartbeat(call, heartbeatMs, `waiting for approval ${id}`)
    const pending = { status: 'pending', id, expiresAt } as const
    const expiresInMs = Date.parse(expiresAt) - now().getTime() + 1
    const holdsForMs = Math.max(0, until - performance.now())
    let isHeldLongEnough = holdsForMs === 0
    const isOver = () => ending.aborted || (isHeldLongEnough && !client.isAway)
    try {
      const found = await waitUntil<ApprovalOutcome | Consumed>({
        sources: [
          (listener) => registry.onChange(id, listener),
          (listener) => onAbort(ending, listener),
          (listener) => client.onChange(listener),
          (listener) => after(expiresInMs, listener),
          (listener) =>
            after(holdsForMs, () => {
              isHeldLongEnough = true
              listener()
            }),
        ],
        async look() {
          // What has changed before the end counts.
          const isLast = isOver()
          return (await look(id, signal)) ?? (isLast ? pending : undefined)
        },
        timeoutMs: Math.min(longestTimerMs, Math.max(holdsForMs, expiresInMs) + 1_000),
        signal,
      })
      return found ?? pending
    } catch (error) {
      if (signal.aborted) return { status: 'abandoned', id }
      throw error
    }
  }

  async function look(id: string, signal: AbortSignal): Promise<Ending | ApprovalOutcome> {
    const record = await rows.find(id)
    if (record?.status === 'pending' && !hasExpired(record)) return undefined
    return registry.change((changing) => settle(changing, id, signal))
  }

  /** Takes the decision for this call, so that no other call can use it. */
  async function settle(changing: ChangingRows, id: string, signal: AbortSignal): Promise<Ending | ApprovalOutcome> {
    const record = await changing.find(id)
    if (!record) return { status: 'abandoned', id }
    const toldAt = record.toldAt ?? now().toISOString()
    const ended = endingOf(record)
    if (ended) {
      if (record.status !== 'consumed') await changing.save(record, { toldAt })
      return ended
    }
    if (hasExpired(record)) return endingOf(await changing.save(record, { status: 'expired', toldAt }))
    if (record.status !== 'approved' || signal.aborted) return undefined
    await changing.save(record, { status: 'consumed', toldAt })
    return { status: 'approved', id }
  }

  /**
   * The callers have left, so the calls will not run, even one that has just consumed its approval (`isTaken`). When a
   * session is stopped, all its callers leave at once.
   */
  const abandon = createBatch<LeftCall>((left) =>
    registry.change(async (changing) => {
      for (const { id, sought, isTaken } of left) {
        const record = await changing.find(id)
        const isOpen = record?.status === 'pending' || record?.status === 'approved'
        // An equal call may still wait for it, here or at another hub.
        const isOurs = isOpen && record.hubId === hubId && !present.has(keyOf(sought))
        if (record && (isTaken || isOurs)) await changing.save(record, { status: 'abandoned' })
      }
    }),
  )

  return {
    obtain,
    isHeld: (record) => present.has(keyOf(record)),
    isAwaited: (record) => isAttended(keyOf(record)),
    holdsAny: (sessionId) => present.keys().some((key) => isOf(sessionId, key) && isAttended(key)),
    countDeserted: (sessionId) => [...present.keys()].filter((key) => isOf(sessionId, key) && !isAttended(key)).length,
    onAwayChange(listener) {
      awayListeners.add(listener)
      return () => void awayListeners.delete(listener)
    },
  }
}

interface LeftCall {
  readonly id: string
  readonly sought: SoughtCall
  readonly isTaken: boolean
}

interface FollowedClient extends Disposable {
  readonly isAway: boolean
  onChange(listener: () => void): () => void
}

function after(ms: number, listener: () => void): () => void {
  const timer = setTimeout(listener, ms)
  return () => clearTimeout(timer)
}

/** Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

function isOf(sessionId: string, key: string): boolean {
  return key.startsWith(`[${JSON.stringify(sessionId)},`)
}

function keyOf({ sessionId, tool, digest, policyVersion }: SoughtCall): string {
  return JSON.stringify([sessionId, tool, digest, policyVersion])
}
