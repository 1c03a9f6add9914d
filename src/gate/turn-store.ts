/** The only SQL of turns. */
import type { Store, Tables } from '../store/store.ts'
import type { ChainMember } from './turn.ts'

export interface TurnRecord {
  readonly id: string
  readonly session: string
  /** The last is the session itself. */
  readonly chain: readonly ChainMember[]
  readonly correlation: string
  /** The id of its event `turn-started`. */
  readonly event: string
  readonly thread: string | undefined
  readonly seq: number
  /** The digest of the prompt, if the turn ends after it and not before. */
  readonly prompt: string | undefined
  readonly startedAt: string
}

export interface TurnStore {
  /** Of this hub, oldest first. */
  list(): Promise<readonly TurnRecord[]>
  insert(record: TurnRecord): Promise<void>
  remove(id: string): Promise<void>
}

export function createTurnStore({ db }: Store, hubId: string): TurnStore {
  return {
    async list() {
      const rows = await db
        .selectFrom('turns')
        .selectAll()
        .where('hub_id', '=', hubId)
        .orderBy('started_at')
        .orderBy('id')
        .execute()
      return rows.map(toRecord)
    },
    async insert(record) {
      await db.insertInto('turns').values(toRow(record, hubId)).execute()
    },
    async remove(id) {
      await db.deleteFrom('turns').where('id', '=', id).execute()
    },
  }
}

function toRecord(row: Tables['turns']): TurnRecord {
  return {
    id: row.id,
    session: row.session_id,
    chain: JSON.parse(row.chain) as ChainMember[],
    correlation: row.correlation,
    event: row.event,
    thread: row.thread_id ?? undefined,
    seq: row.seq,
    prompt: row.prompt ?? undefined,
    startedAt: row.started_at,
  }
}

function toRow(record: TurnRecord, hubId: string): Tables['turns'] {
  const { id, session, chain, correlation, event, thread, seq, prompt, startedAt } = record
  return {
    id,
    hub_id: hubId,
    session_id: session,
    chain: JSON.stringify(chain),
    correlation,
    event,
    thread_id: thread ?? null,
    seq,
    prompt: prompt ?? null,
    started_at: startedAt,
  }
}
