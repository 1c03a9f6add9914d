/** The SQL of messages and read marks. Each change is one transaction, and every change of a chat locks its row first. */
import type { ChatMessage, ChatSide } from '../../api/chat.ts'
import { HubError } from '../../base/hub-error.ts'
import type { ChatMessageRow, ChatRow, Store } from '../../store/store.ts'

/** A chat is read by people and by a model. Beyond this, neither would find anything in it. */
export const maxMessages = 10_000
/** Keeps the database small if an agent posts long messages in a loop. */
export const maxChatBytes = 32 * 1024 * 1024
/** One answer must fit into the context of a model, and into memory. */
export const maxReadBytes = 256 * 1024

export interface Draft {
  readonly side: ChatSide
  readonly author?: string | undefined
  readonly mime: string
  readonly content: string
  /** The ids of earlier messages. */
  readonly repliesTo?: number | undefined
  readonly replaces?: number | undefined
  readonly removes?: number | undefined
}

export interface ReadPlan {
  /** Whose mark is moved. */
  readonly side: ChatSide
  /** Only messages of this side. Without it, of both. */
  readonly of?: ChatSide | undefined
  /** Default: the mark. */
  readonly after?: number | undefined
  readonly limit: number
  /** The last ones instead of the next ones. */
  readonly isNewest?: boolean | undefined
  /** Default: true. */
  readonly isMarked?: boolean | undefined
}

export interface ChatPage {
  readonly messages: readonly ChatMessage[]
  readonly hasMore: boolean
  readonly head: number
  readonly read: Readonly<Record<ChatSide, number>>
  /** The messages that this side has not read. */
  readonly unread: number
  readonly isMarkMoved: boolean
}

export interface ChatStore {
  /** Throws if it replies to a message that is not there. */
  post(sessionId: string, draft: Draft): Promise<ChatMessage>
  read(sessionId: string, plan: ReadPlan): Promise<ChatPage>
  /** Moves the mark of a side forward, never back. */
  mark(sessionId: string, side: ChatSide, readTo: number): Promise<void>
}

type Db = Store['db']
/** The handle of a transaction, or the store's own. */
export type Handle = Pick<Db, 'selectFrom' | 'insertInto' | 'updateTable'>

export function createChatStore({ db }: Store): ChatStore {
  return {
    post: (sessionId, draft) =>
      db.transaction().execute(async (transaction) => {
        if (draft.repliesTo !== undefined) await assertThere(transaction, sessionId, draft.repliesTo)
        return postIn(transaction, sessionId, draft)
      }),
    async read(sessionId, plan) {
      // Most reads find nothing new, and then nothing is locked or written.
      const seen = await readIn(db, sessionId, { ...plan, isMarked: false })
      const isMarked = plan.isMarked ?? true
      if (!isMarked || seen.messages.length === 0) return seen
      return db.transaction().execute(async (transaction) => {
        await lock(transaction, sessionId)
        return readIn(transaction, sessionId, plan)
      })
    },
    mark: (sessionId, side, readTo) =>
      db.transaction().execute((transaction) => markIn(transaction, sessionId, side, readTo)),
  }
}

/** Adds a message to a chat. The row of the chat counts the messages, so two posts never get the same id. */
export async function postIn(db: Handle, sessionId: string, draft: Draft): Promise<ChatMessage> {
  const { side, author, mime, content, repliesTo, replaces, removes } = draft
  const bytes = Buffer.byteLength(content)
  const empty = { session_id: sessionId, head: 0, bytes: 0, person_read_to: 0, agent_read_to: 0 }
  await db
    .insertInto('chats')
    .values(empty)
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .execute()
  const row = await db
    .updateTable('chats')
    .set((chat) => ({ head: chat('head', '+', 1), bytes: chat('bytes', '+', bytes) }))
    .where('session_id', '=', sessionId)
    .where('head', '<', maxMessages)
    .where('bytes', '<=', maxChatBytes - bytes)
    .returning('head')
    .executeTakeFirst()
  if (!row) throw chatIsFull()
  const message: ChatMessageRow = {
    session_id: sessionId,
    id: row.head,
    side,
    author: author ?? null,
    mime,
    content,
    bytes,
    created_at: new Date().toISOString(),
    replies_to: repliesTo ?? null,
    replaces: replaces ?? null,
    removes: removes ?? null,
    is_gone: 0,
  }
  await db.insertInto('chat_messages').values(message).execute()
  return toMessage(message)
}

/** Removes the contents of messages. They are listed no more, and their ids stay taken. */
export async function emptyIn(db: Handle, sessionId: string, ids: readonly number[]): Promise<void> {
  const found = await db
    .selectFrom('chat_messages')
    .select('bytes')
    .where('session_id', '=', sessionId)
    .where('id', 'in', ids)
    .execute()
  const freed = found.reduce((sum, { bytes }) => sum + bytes, 0)
  await db
    .updateTable('chat_messages')
    .set({ content: '', bytes: 0, is_gone: 1 })
    .where('session_id', '=', sessionId)
    .where('id', 'in', ids)
    .execute()
  await db
    .updateTable('chats')
    .set((chat) => ({ bytes: chat('bytes', '-', freed) }))
    .where('session_id', '=', sessionId)
    .execute()
}

async function assertThere(db: Handle, sessionId: string, id: number): Promise<void> {
  const found = await db
    .selectFrom('chat_messages')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where('is_gone', '=', 0)
    .executeTakeFirst()
  if (!found) throw new HubError('not-found', `"replies_to": the chat has no message ${id}.`)
}

export async function markIn(db: Handle, sessionId: string, side: ChatSide, readTo: number): Promise<void> {
  const column = markColumn[side]
  await db
    .updateTable('chats')
    .set({ [column]: readTo })
    .where('session_id', '=', sessionId)
    .where(column, '<', readTo)
    .execute()
}

const markColumn = { person: 'person_read_to', agent: 'agent_read_to' } as const

/** On PostgreSQL two transactions run at once. The second waits here until the first has moved the mark. */
async function lock(db: Handle, sessionId: string): Promise<void> {
  await db
    .updateTable('chats')
    .set((chat) => ({ head: chat.ref('head') }))
    .where('session_id', '=', sessionId)
    .execute()
}

async function readIn(db: Handle, sessionId: string, plan: ReadPlan): Promise<ChatPage> {
  const { side, of, isMarked = true } = plan
  const chat = await db.selectFrom('chats').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
  if (!chat) return { messages: [], hasMore: false, head: 0, read: toMarks(), unread: 0, isMarkMoved: false }
  const mark = chat[markColumn[side]]
  const { ids, hasMore } = await choose(db, sessionId, { ...plan, after: plan.after ?? mark })
  const first = ids[0]
  const last = ids.at(-1)
  let messages: readonly ChatMessage[] = []
  if (first !== undefined && last !== undefined) {
    let query = db
      .selectFrom('chat_messages')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('id', '>=', first)
      .where('id', '<=', last)
      .where('is_gone', '=', 0)
    if (of !== undefined) query = query.where('side', '=', of)
    messages = (await query.orderBy('id').execute()).map(toMessage)
  }
  const isMarkMoved = isMarked && last !== undefined && last > mark
  if (isMarkMoved) await markIn(db, sessionId, side, last)
  const readTo = isMarkMoved ? last : mark
  const { unread } = await db
    .selectFrom('chat_messages')
    .select(({ fn }) => fn.countAll<number | string>().as('unread'))
    .where('session_id', '=', sessionId)
    .where('side', '=', otherSide(side))
    .where('id', '>', readTo)
    .where('is_gone', '=', 0)
    .executeTakeFirstOrThrow()
  return {
    messages,
    hasMore,
    head: chat.head,
    read: { ...toMarks(chat), [side]: readTo },
    unread: Number(unread),
    isMarkMoved,
  }
}

/** The ids of as many messages as one answer may hold, oldest first. Contents are read only after that. */
async function choose(db: Handle, sessionId: string, { of, after = 0, limit, isNewest = false }: ReadPlan) {
  let query = db
    .selectFrom('chat_messages')
    .select(['id', 'bytes'])
    .where('session_id', '=', sessionId)
    .where('id', '>', after)
    .where('is_gone', '=', 0)
  if (of !== undefined) query = query.where('side', '=', of)
  const found = await query
    .orderBy('id', isNewest ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute()
  const ids: number[] = []
  let total = 0
  for (const { id, bytes } of found.slice(0, limit)) {
    total += bytes
    if (ids.length > 0 && total > maxReadBytes) break
    ids.push(id)
  }
  return { ids: isNewest ? ids.toReversed() : ids, hasMore: ids.length < found.length }
}

export function otherSide(side: ChatSide): ChatSide {
  return side === 'person' ? 'agent' : 'person'
}

function toMarks(chat?: ChatRow): Record<ChatSide, number> {
  return { person: chat?.person_read_to ?? 0, agent: chat?.agent_read_to ?? 0 }
}

export function toMessage(row: ChatMessageRow): ChatMessage {
  const { id, side, author, created_at, mime, content, replies_to, replaces, removes } = row
  return {
    id,
    side: side as ChatSide,
    ...(author !== null && { from: author }),
    at: created_at,
    mime,
    content,
    ...(replies_to !== null && { replies_to }),
    ...(replaces !== null && { replaces }),
    ...(removes !== null && { removes }),
  }
}

function chatIsFull(): HubError {
  return new HubError(
    'conflict',
    `The chat of this session is full: it holds at most ${maxMessages} messages and ${maxChatBytes / 1024 ** 2} MiB. Start another session to go on.`,
  )
}
