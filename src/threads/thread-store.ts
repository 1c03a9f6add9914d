/** The only SQL of threads. */
import type { EntryBody, NewEntry, ThreadEntry } from '../api/thread.ts'
import type { Store, Tables } from '../store/store.ts'

export interface ThreadRecord {
  readonly id: string
  /** `undefined`: it was imported or forked, and no session continues it. */
  readonly sessionId: string | undefined
  readonly agent: string
  /** The id that the agent itself gave it. `undefined`: no agent knows it yet. */
  readonly conversation: string | undefined
  readonly parent: string | undefined
  readonly forkKey: string | undefined
  readonly label: string | undefined
  readonly createdAt: string
}

export interface ThreadStore {
  find(id: string): Promise<ThreadRecord | undefined>
  /** The newest thread of a session. */
  findOf(sessionId: string): Promise<ThreadRecord | undefined>
  /** Oldest first, so that the last of each session is its newest. */
  listNewest(): Promise<readonly { readonly id: string; readonly sessionId: string }[]>
  findConversation(agent: string, conversation: string): Promise<ThreadRecord | undefined>
  /** A new thread with these entries, both or neither. */
  insert(record: ThreadRecord, entries?: readonly NewEntry[]): Promise<void>
  /** The thread continues in this session. */
  move(id: string, sessionId: string): Promise<void>
  /** The agent has given the thread its own id. */
  setConversation(id: string, conversation: string): Promise<void>
  /** Those that were made by this time and that no session continues, oldest first. */
  listWithoutSession(createdBy: string): Promise<readonly ThreadRecord[]>
  /** Removes a thread that no session continues. False: there is no such thread. */
  remove(id: string): Promise<boolean>
  /** Stores the entries that the thread does not have, and what their turns used. Returns what was stored. */
  append(thread: string, entries: readonly NewEntry[], by: EntryWriter): Promise<readonly ThreadEntry[]>
  /** Oldest first. */
  read(thread: string, after: number, limit: number): Promise<readonly ThreadEntry[]>
  /** The last entry of one of these types before `before`. */
  findLast(thread: string, types: readonly EntryBody['type'][], before?: number): Promise<ThreadEntry | undefined>
  /** The first entry of this type after `after`. */
  findFirst(thread: string, type: EntryBody['type'], after: number): Promise<ThreadEntry | undefined>
  /** The first prompt after `after` whose text passes `isIt`. */
  findPrompt(thread: string, isIt: (text: string) => boolean, after: number): Promise<ThreadEntry | undefined>
  /** The last entry that is older than this time. 0: there is none. */
  lastSeqBefore(thread: string, at: string): Promise<number>
  findKey(thread: string, key: string): Promise<ThreadEntry | undefined>
  /** 0: it has no entries. */
  lastSeq(thread: string): Promise<number>
  keyAt(thread: string, seq: number): Promise<string | undefined>
  /** The ends of its turns. */
  listCompleted(thread: string): Promise<readonly Completed[]>
  /** The first prompt that is not older than this time, and the number of its turn in the thread. */
  findPromptAfter(thread: string, at: string): Promise<NumberedPrompt | undefined>
  readTo(sessionId: string): Promise<string | undefined>
}

export interface NumberedPrompt {
  readonly text: string
  /** Counts from 1. */
  readonly turn: number
}

export interface EntryWriter {
  readonly session: { readonly id: string; readonly name: string }
  /** How far the source of the entries was read. */
  readonly readTo?: string | undefined
}

/** A statement has a limited number of values. */
const rowsAtOnce = 100

type Db = Store['db']
type Completed = Extract<EntryBody, { type: 'complete' }>

export function createThreadStore({ db }: Store): ThreadStore {
  const threads = () => db.selectFrom('threads').selectAll()
  const entries = (from: Pick<Db, 'selectFrom'>, thread: string) =>
    from.selectFrom('thread_entries').selectAll().where('thread_id', '=', thread)

  return {
    async find(id) {
      const row = await threads().where('id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },
    async findOf(sessionId) {
      const ofSession = threads().where('session_id', '=', sessionId)
      const row = await ofSession.orderBy('created_at', 'desc').orderBy('id', 'desc').executeTakeFirst()
      return row && toRecord(row)
    },
    async listNewest() {
      const found = await db
        .selectFrom('threads')
        .select(['id', 'session_id'])
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return found.flatMap(({ id, session_id: sessionId }) => (sessionId === null ? [] : [{ id, sessionId }]))
    },
    async findConversation(agent, conversation) {
      const row = await threads().where('agent', '=', agent).where('conversation', '=', conversation).executeTakeFirst()
      return row && toRecord(row)
    },
    insert: (record, given = []) =>
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto('threads').values(toThreadRow(record)).execute()
        for (let from = 0; from < given.length; from += rowsAtOnce) {
          const rows = given.slice(from, from + rowsAtOnce)
          const numbered = rows.map((entry, index) => toRow(record.id, { ...entry, seq: from + index + 1 }))
          await transaction.insertInto('thread_entries').values(numbered).execute()
        }
      }),
    async move(id, sessionId) {
      await db.updateTable('threads').set({ session_id: sessionId }).where('id', '=', id).execute()
    },
    async setConversation(id, conversation) {
      await db.updateTable('threads').set({ conversation }).where('id', '=', id).execute()
    },
    async listWithoutSession(createdBy) {
      const alone = threads().where('session_id', 'is', null).where('created_at', '<=', createdBy)
      return (await alone.orderBy('created_at').orderBy('id').execute()).map(toRecord)
    },
    async remove(id) {
      const alone = db.deleteFrom('threads').where('id', '=', id).where('session_id', 'is', null)
      return (await alone.executeTakeFirst()).numDeletedRows > 0n
    },
    append: (thread, given, { session, readTo }) =>
      db.transaction().execute(async (transaction) => {
        const last = await entries(transaction, thread).orderBy('seq', 'desc').limit(1).executeTakeFirst()
        const known = await entries(transaction, thread)
          .where('key', 'in', ['', ...given.map(({ key }) => key)])
          .execute()
        const keys = new Set(known.map(({ key }) => key))
        const stored: ThreadEntry[] = []
        for (const entry of given) {
          if (keys.has(entry.key)) continue
          keys.add(entry.key)
          stored.push({ ...entry, seq: (last?.seq ?? 0) + stored.length + 1 })
        }
        for (const entry of stored)
          await transaction.insertInto('thread_entries').values(toRow(thread, entry)).execute()
        const used = stored.flatMap((entry) => toUsageRow(thread, session, entry) ?? [])
        if (used.length > 0) await transaction.insertInto('turn_usage').values(used).execute()
        if (readTo !== undefined) {
          await transaction
            .insertInto('thread_progress')
            .values({ session_id: session.id, read_to: readTo })
            .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ read_to: readTo }))
            .execute()
        }
        return stored
      }),
    async read(thread, after, limit) {
      const rows = await entries(db, thread).where('seq', '>', after).orderBy('seq').limit(limit).execute()
      return rows.map(toEntry)
    },
    async findLast(thread, types, before) {
      let query = entries(db, thread).where('type', 'in', types).orderBy('seq', 'desc').limit(1)
      if (before !== undefined) query = query.where('seq', '<', before)
      const row = await query.executeTakeFirst()
      return row && toEntry(row)
    },
    async findFirst(thread, type, after) {
      const row = await entries(db, thread)
        .where('type', '=', type)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst()
      return row && toEntry(row)
    },
    async findPrompt(thread, isIt, after) {
      const found = await entries(db, thread)
        .where('type', '=', 'prompt')
        .where('seq', '>', after)
        .orderBy('seq')
        .execute()
      return found.map(toEntry).find((entry) => entry.type === 'prompt' && isIt(entry.text))
    },
    async lastSeqBefore(thread, at) {
      const row = await entries(db, thread).where('at', '<', at).orderBy('seq', 'desc').limit(1).executeTakeFirst()
      return row?.seq ?? 0
    },
    async lastSeq(thread) {
      const row = await entries(db, thread).orderBy('seq', 'desc').limit(1).executeTakeFirst()
      return row?.seq ?? 0
    },
    async keyAt(thread, seq) {
      return (await entries(db, thread).where('seq', '=', seq).executeTakeFirst())?.key
    },
    async listCompleted(thread) {
      const found = await entries(db, thread).where('type', '=', 'complete').orderBy('seq').execute()
      return found.map(toEntry).filter((entry) => entry.type === 'complete')
    },
    async findKey(thread, key) {
      const row = await entries(db, thread).where('key', '=', key).executeTakeFirst()
      return row && toEntry(row)
    },
    async findPromptAfter(thread, at) {
      const from = entries(db, thread).where('type', '=', 'prompt').where('at', '>=', at)
      const row = await from.orderBy('seq').limit(1).executeTakeFirst()
      if (!row) return undefined
      const before = db.selectFrom('thread_entries').where('thread_id', '=', thread).where('seq', '<', row.seq)
      const ended = await before
        .where('type', '=', 'complete')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      const entry = toEntry(row)
      return entry.type === 'prompt' ? { text: entry.text, turn: Number(ended.count) + 1 } : undefined
    },
    async readTo(sessionId) {
      const row = await db
        .selectFrom('thread_progress')
        .select('read_to')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row?.read_to
    },
  }
}

function toRecord(row: Tables['threads']): ThreadRecord {
  return {
    id: row.id,
    sessionId: row.session_id ?? undefined,
    agent: row.agent,
    conversation: row.conversation ?? undefined,
    parent: row.parent ?? undefined,
    forkKey: row.fork_key ?? undefined,
    label: row.label ?? undefined,
    createdAt: row.created_at,
  }
}

function toThreadRow(record: ThreadRecord): Tables['threads'] {
  const { id, sessionId, agent, conversation, parent, forkKey, label, createdAt } = record
  return {
    id,
    session_id: sessionId ?? null,
    agent,
    conversation: conversation ?? null,
    parent: parent ?? null,
    fork_key: forkKey ?? null,
    label: label ?? null,
    created_at: createdAt,
  }
}

function toRow(thread: string, { seq, key, at, model, type, ...body }: ThreadEntry): Tables['thread_entries'] {
  return { thread_id: thread, seq, key, type, at, model: model ?? null, body: JSON.stringify(body) }
}

function toUsageRow(
  thread: string,
  session: EntryWriter['session'],
  entry: ThreadEntry,
): Tables['turn_usage'] | undefined {
  if (entry.type !== 'complete' || !entry.usage) return undefined
  const { input_tokens, output_tokens, cost_usd = null } = entry.usage
  return {
    thread_id: thread,
    key: entry.key,
    session_id: session.id,
    session: session.name,
    at: entry.at,
    input_tokens,
    output_tokens,
    cost_usd,
  }
}

function toEntry({ seq, key, type, at, model, body }: Tables['thread_entries']): ThreadEntry {
  const rest = JSON.parse(body) as object
  return { ...rest, type, seq, key, at, ...(model !== null && { model }) } as ThreadEntry
}
