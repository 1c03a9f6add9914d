/**
 * A call that must ask waits here.
 *
 *   ask, or pick up what the same call asked before → hold → approved and used up, or told why not
 *
 * Two equal calls at once share one approval. A denial answers both; an approval lets one of them through, and the other
 * asks anew. Whatever is decided is used up in the store before the caller hears of it: nothing runs twice, whichever hub
 * it comes through, and nothing runs that was not approved.
 */
import { randomBytes } from 'node:crypto'
import { digestOf } from '../base/call-digest.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Redactor } from '../base/redact.ts'
import type { ApprovalBook } from './approval-book.ts'
import type { ChangingRows, NewApproval, SameCall } from './approval-changes.ts'
import type { Ending, Outcome } from './approval-life.ts'
import { endingOf, hasExpired } from './approval-life.ts'
import type { ApprovalRecord, JsonObject } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { assertRoom } from './room.ts'
import type { Listening } from './sign-of-life.ts'
import { showLife } from './sign-of-life.ts'

/** What is asked for, once the policy has said `ask`. */
export interface ApprovalRequest {
  /** The id. */
  readonly session: string
  /** `<mount>_<original tool name>` */
  readonly tool: string
  readonly arguments: JsonObject
  /** The rule that said so; absent where the default did. */
  readonly rule?: string | undefined
  /** What that rule says of itself. */
  readonly reason?: string | undefined
  readonly policyVersion: string
  readonly correlation: string
  /** The event of the call, below which what becomes of the approval is told. */
  readonly parent?: string | undefined
}

export interface HeldCall extends Listening {
  /** Fires when the caller cancels or leaves. */
  readonly signal: AbortSignal
}

export interface Holds {
  obtain(request: ApprovalRequest, call: HeldCall): Promise<Outcome>
  /** A call of this hub waits for it right now. */
  isHeld(record: ApprovalRecord): boolean
}

export interface HoldsOptions {
  readonly book: ApprovalBook
  readonly rows: Pick<ApprovalStore, 'find'>
  readonly hubId: string
  readonly redactor: Redactor
  readonly holdMs: number
  readonly expiryMs: number
  readonly signOfLifeMs: number
  readonly now: () => Date
  /** From then on nobody is held: whoever waits is told to come back. */
  readonly ending: AbortSignal
  /** A person has to be told of a new one. */
  readonly onAsked: (record: ApprovalRecord) => void
}

type SoughtCall = SameCall & Pick<ApprovalRecord, 'policyVersion'>

export function createHolds(options: HoldsOptions): Holds {
  const { book, rows, hubId, redactor, holdMs, expiryMs, signOfLifeMs, now, ending, onAsked } = options
  /** How many calls of each kind are here. */
  const present = new Map<string, number>()

  function enter(sought: SoughtCall): Disposable {
    const key = keyOf(sought)
    present.set(key, (present.get(key) ?? 0) + 1)
    return {
      [Symbol.dispose]() {
        const left = (present.get(key) ?? 0) - 1
        if (left > 0) present.set(key, left)
        else present.delete(key)
      },
    }
  }

  async function obtain(request: ApprovalRequest, call: HeldCall): Promise<Outcome> {
    const { session: sessionId, tool, policyVersion } = request
    const sought = { sessionId, tool, policyVersion, digest: digestOf(request) }
    const until = performance.now() + holdMs
    using presence = new DisposableStack()
    presence.use(enter(sought))
    for (;;) {
      call.signal.throwIfAborted()
      const { record, isNew } = await book.change((changing) => admit(changing, sought, request))
      if (isNew) onAsked(record)
      const outcome = endingOf(record) ?? (await hold(record, until, call))
      if (outcome.is === 'used-up') continue
      if (!call.signal.aborted) return outcome
      presence.dispose()
      await abandon(record.id, sought, outcome.is === 'approved')
      return { is: 'abandoned', id: record.id }
    }
  }

  /** The approval of this call: the one that is open, the answer that nobody has heard, or a new one. */
  async function admit(changing: ChangingRows, sought: SoughtCall, request: ApprovalRequest) {
    const open = await changing.findOpen(sought)
    for (const other of open) {
      if (other.policyVersion !== sought.policyVersion) await changing.save(other, { status: 'abandoned' })
    }
    const same = open.find(({ policyVersion }) => policyVersion === sought.policyVersion)
    if (same && !hasExpired(same, now())) {
      return { record: same.hubId === hubId ? same : await changing.save(same, { hubId }), isNew: false }
    }
    const toldAt = now().toISOString()
    if (same) return { record: await changing.save(same, { status: 'expired', toldAt }), isNew: false }
    const untold = await changing.findUntold(sought)
    if (untold) return { record: await changing.save(untold, { toldAt }), isNew: false }
    assertRoom(sought.tool, await changing.weighPending(sought.sessionId))
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

  async function hold(record: ApprovalRecord, until: number, call: HeldCall): Promise<Outcome | { is: 'used-up' }> {
    const { id, expiresAt } = record
    const { signal } = call
    using _ = showLife(call, signOfLifeMs, `waiting for approval ${id}`)
    const waiting = { is: 'waiting', id, expiresAt } as const
    try {
      const found = await waitUntil<Outcome | { is: 'used-up' }>({
        sources: [
          (listener) => book.onChange(id, listener),
          (listener) => onAbort(ending, listener),
          (listener) => {
            const timer = setTimeout(listener, Date.parse(expiresAt) - now().getTime() + 1)
            return () => clearTimeout(timer)
          },
        ],
        look: async () => (await look(id, signal)) ?? (ending.aborted ? waiting : undefined),
        timeoutMs: Math.max(0, until - performance.now()),
        signal,
      })
      return found ?? waiting
    } catch (error) {
      if (signal.aborted) return { is: 'abandoned', id }
      throw error
    }
  }

  async function look(id: string, signal: AbortSignal): Promise<Ending | Outcome> {
    const record = await rows.find(id)
    if (record?.status === 'pending' && !hasExpired(record, now())) return undefined
    return book.change((changing) => settle(changing, id, signal))
  }

  /** Takes what was decided, and leaves it to nobody else. */
  async function settle(changing: ChangingRows, id: string, signal: AbortSignal): Promise<Ending | Outcome> {
    const record = await changing.find(id)
    if (!record) return { is: 'abandoned', id }
    const toldAt = record.toldAt ?? now().toISOString()
    const ended = endingOf(record)
    if (ended) {
      if (record.status !== 'consumed') await changing.save(record, { toldAt })
      return ended
    }
    if (hasExpired(record, now())) return endingOf(await changing.save(record, { status: 'expired', toldAt }))
    if (record.status !== 'approved' || signal.aborted) return undefined
    await changing.save(record, { status: 'consumed', toldAt })
    return { is: 'approved', id }
  }

  /** Its caller has left, so that it will not run, even if it has just been `taken`. */
  async function abandon(id: string, sought: SoughtCall, isTaken: boolean): Promise<void> {
    await book.change(async (changing) => {
      const record = await changing.find(id)
      const isOpen = record?.status === 'pending' || record?.status === 'approved'
      // Another call of the same kind may still wait for it, here or at another hub.
      const isOurs = isOpen && record.hubId === hubId && !present.has(keyOf(sought))
      if (record && (isTaken || isOurs)) await changing.save(record, { status: 'abandoned' })
    })
  }

  return { obtain, isHeld: (record) => present.has(keyOf(record)) }
}

/** Returns the way to stop. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

function keyOf({ sessionId, tool, digest, policyVersion }: SoughtCall): string {
  return JSON.stringify([sessionId, tool, digest, policyVersion])
}
