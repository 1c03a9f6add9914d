/** What was allowed for more than one call. In memory, compiled, as the store has it: every call is held against it. */
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { createSerial } from '../base/serial.ts'
import type { EventLog } from '../events/events.ts'
import type { CompiledGrant } from '../policy/policy.ts'
import { compileGrant } from '../policy/policy.ts'
import type { ApprovalBook } from './approval-book.ts'
import type { GrantRecord } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { nameOf } from './decide-approval.ts'

export interface GrantMemory {
  /** Those that hold in this session. A revocation at another hub takes effect as soon as its notice is here. */
  of(session: string): readonly CompiledGrant[]
  /** Reads them anew. Where that fails none holds, until it works again: a call is asked for rather than let through. */
  load(): Promise<void>
  readonly isLoaded: boolean
}

export function createGrantMemory({ rows, log }: { rows: Pick<ApprovalStore, 'listGrants'>; log: Log }): GrantMemory {
  const oneByOne = createSerial()
  let isLoaded = false
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

  async function load(): Promise<void> {
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

  return {
    get isLoaded() {
      return isLoaded
    },
    of: (session) => bySession.get(session) ?? forAll,
    load: () =>
      oneByOne(async () => {
        isLoaded = false
        try {
          await load()
          isLoaded = true
        } catch (error) {
          forAll = []
          bySession = new Map()
          throw error
        }
      }),
  }
}

export interface RevokeOptions {
  readonly book: ApprovalBook
  readonly events: Pick<EventLog, 'append'>
  readonly now: () => Date
}

/** Answers with the grant as it is then; one that was revoked before stays as it was. */
export async function revokeGrant(
  id: string,
  by: Principal,
  { book, events, now }: RevokeOptions,
): Promise<GrantRecord> {
  const revokedAt = now().toISOString()
  const revokedBy = nameOf(by)
  const { grant, isNews } = await book.change(async (changing) => {
    const found = await changing.findGrant(id)
    if (!found) throw new HubError('not-found', `There is no grant "${id}". Call list_grants for the ids.`)
    if (found.revokedAt !== undefined) return { grant: found, isNews: false }
    await changing.revokeGrant(id, revokedBy, revokedAt)
    // The call it came from may have gone through by the grant, and must not have its approval left over.
    const approval = await changing.find(found.approvalId)
    if (approval?.status === 'approved') await changing.save(approval, { status: 'abandoned' })
    return { grant: { ...found, revokedAt, revokedBy }, isNews: true }
  })
  if (isNews) await events.append(revocation(grant, { by: revokedBy, token_id: by.tokenId }))
  return grant
}

export function revocation({ id, sessionId, tool, approvalId }: GrantRecord, who: Readonly<Record<string, unknown>>) {
  return {
    type: 'grant-revoked',
    ...(sessionId !== undefined && { session: sessionId }),
    payload: { grant: id, tool, approval: approvalId, ...who },
  }
}
