/**
 * Keeps all grants compiled in memory, because every call is checked against them. The approvals feature loads them
 * when it opens and after every change.
 */
import type { EventPayload, NewEvent } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { createSerial } from '../base/serial.ts'
import type { EventLog } from '../events/events.ts'
import type { CompiledGrant } from '../policy/policy.ts'
import { compileGrant } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import type { ApprovalRegistry } from './approval-registry.ts'
import type { GrantRecord } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { nameOf } from './decide-approval.ts'

export interface GrantMemory {
  /**
   * The grants that apply to this session. A revocation at another hub takes effect when its notice arrives, or within
   * a second if the notice is lost. Throws if the grants are out of date and cannot be read.
   */
  of(session: string): Promise<readonly CompiledGrant[]>
  /**
   * Reads the grants again. If that fails, no grant applies until a later load succeeds: a call then needs approval
   * instead of passing unchecked.
   */
  load(): Promise<void>
  readonly isLoaded: boolean
}

export interface GrantMemoryOptions {
  readonly rows: Pick<ApprovalStore, 'listGrants'>
  /** Other hubs may change the grants, and their notices may be lost when a connection breaks. */
  readonly isShared: boolean
  readonly log: Log
}

const freshMs = 1_000

/** Needs only the store, so that policies can depend on grants and approvals on policies. */
export function createGrants({ store, log }: { readonly store: Store; readonly log: Log }): GrantMemory {
  return createGrantMemory({ rows: createApprovalStore(store), isShared: store.engine === 'postgres', log })
}

export function createGrantMemory({ rows, isShared, log }: GrantMemoryOptions): GrantMemory {
  const oneByOne = createSerial()
  let isLoaded = false
  let loadedAt = 0
  let compiled = new Map<string, CompiledGrant>()
  let forAll: readonly CompiledGrant[] = []
  let bySession = new Map<string, readonly CompiledGrant[]>()

  async function compile({ id, tool, when }: GrantRecord): Promise<CompiledGrant | undefined> {
    try {
      return compiled.get(id) ?? (await compileGrant({ id, tool, when }))
    } catch (error) {
      log.error({ grant: id, error }, 'a grant cannot be used')
      return undefined
    }
  }

  async function read(): Promise<void> {
    const records = await rows.listGrants({})
    const usable = new Map<string, CompiledGrant>()
    const everywhere: CompiledGrant[] = []
    const own = new Map<string, CompiledGrant[]>()
    for (const record of records) {
      const grant = await compile(record)
      if (!grant) continue
      usable.set(record.id, grant)
      if (record.sessionId === undefined) everywhere.push(grant)
      else own.set(record.sessionId, [...(own.get(record.sessionId) ?? []), grant])
    }
    compiled = usable
    forAll = everywhere
    bySession = new Map([...own].map(([session, grants]) => [session, [...grants, ...everywhere]]))
  }

  async function load(): Promise<void> {
    isLoaded = false
    loadedAt = performance.now()
    try {
      await read()
      isLoaded = true
    } catch (error) {
      forAll = []
      bySession = new Map()
      throw error
    }
  }

  const isFresh = () => !isShared || (isLoaded && performance.now() - loadedAt < freshMs)

  return {
    get isLoaded() {
      return isLoaded
    },
    async of(session) {
      // Of several calls at once, only the first reads the store.
      if (!isFresh()) await oneByOne(async () => void (isFresh() || (await load())))
      return bySession.get(session) ?? forAll
    },
    load: () => oneByOne(load),
  }
}

export interface RevokeOptions {
  readonly registry: ApprovalRegistry
  readonly events: Pick<EventLog, 'note'>
  readonly now: () => Date
}

/** Returns the revoked grant. A grant that was revoked before stays unchanged. */
export async function revokeGrant(
  id: string,
  by: Principal,
  { registry, events, now }: RevokeOptions,
): Promise<GrantRecord> {
  const revokedAt = now().toISOString()
  const revokedBy = nameOf(by)
  const { grant, isNews } = await registry.change(async (changing) => {
    const found = await changing.findGrant(id)
    if (!found) throw new HubError('not-found', `There is no grant "${id}". Call list_grants for the ids.`)
    if (found.revokedAt !== undefined) return { grant: found, isNews: false }
    await changing.revokeGrant(id, revokedBy, revokedAt)
    // The call may have passed by the grant and never used its approval. Abandon the approval, or it would let one more
    // call through.
    const approval = await changing.find(found.approvalId)
    if (approval?.status === 'approved') await changing.save(approval, { status: 'abandoned' })
    return { grant: { ...found, revokedAt, revokedBy }, isNews: true }
  })
  if (isNews) await events.note(revocation(grant, { by: revokedBy, token_id: by.tokenId }))
  return grant
}

export function revocation(
  { id, sessionId, tool, approvalId }: GrantRecord,
  who: Pick<EventPayload<'grant-revoked'>, 'by' | 'token_id'>,
): NewEvent {
  return {
    type: 'grant-revoked',
    ...(sessionId !== undefined && { session: sessionId }),
    payload: { grant: id, tool, approval: approvalId, ...who },
  }
}
