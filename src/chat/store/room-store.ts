/** The SQL of the bridge between a chat and a Matrix room. */
import type { ChatMessage } from '../../api/chat.ts'
import type { MatrixRoom } from '../../api/template.ts'
import type { Store } from '../../store/store.ts'
import type { Handle } from './chat-store.ts'
import { emptyIn, markIn, postIn, toMessage } from './chat-store.ts'

export interface BridgedRoom extends MatrixRoom {
  readonly session: { readonly id: string; readonly name: string; readonly status: string }
}

export interface RoomPlace {
  /** The sync token. `undefined`: the room was not read yet. */
  readonly since: string | undefined
  readonly lastEvent: string | undefined
  /** The user who had invited the bridge when the session began. `undefined`: not known, or not needed. */
  readonly invitedBy: string | undefined
}

/** The result of one sync. */
export interface Received {
  readonly since: string
  /** The newest event of the room. `undefined`: there was none. */
  readonly lastEvent: string | undefined
  /** By others, oldest first. */
  readonly changes: readonly RoomChange[]
  /** Events of our own, with the ids of our messages. */
  readonly echoes: readonly { readonly eventId: string; readonly messageId: number }[]
  /** Events that other users have read up to. */
  readonly readEvents: readonly string[]
}

/** `of`: the event of an earlier message. */
export type RoomChange =
  | ({ readonly is: 'message'; readonly repliesTo: string | undefined } & RoomText)
  | ({ readonly is: 'edit'; readonly of: string } & RoomText)
  | { readonly is: 'redaction'; readonly of: string; readonly author: string }

interface RoomText {
  readonly eventId: string
  readonly author: string
  readonly content: string
}

export interface RoomStore {
  add(sessionId: string, room: MatrixRoom): Promise<void>
  /** The rooms of the sessions of this hub. */
  list(): Promise<readonly BridgedRoom[]>
  placeOf(sessionId: string): Promise<RoomPlace>
  noteInviter(sessionId: string, user: string): Promise<void>
  /**
   * Stores messages, read marks and the sync token together, so that a hub that dies has all of it or nothing. An event
   * that came before is left out. Returns the new messages.
   */
  receive(sessionId: string, received: Received): Promise<readonly ChatMessage[]>
  /** The oldest message that the room does not have. */
  nextUnsent(sessionId: string): Promise<ChatMessage | undefined>
  /** `eventId` is undefined if the room refuses the message for good. */
  noteSent(sessionId: string, messageId: number, eventId: string | undefined): Promise<void>
  /** The event of a message. `undefined`: the room does not have it. */
  eventOf(sessionId: string, messageId: number): Promise<string | undefined>
  /** The last event that the agent has read, if the room does not know that yet. */
  nextReceipt(sessionId: string): Promise<{ readonly eventId: string; readonly messageId: number } | undefined>
  noteReceipt(sessionId: string, messageId: number): Promise<void>
}

export function createRoomStore({ db }: Store, hubId: string): RoomStore {
  return {
    async add(sessionId, { homeserver, room, token_env, users }) {
      await db
        .insertInto('chat_rooms')
        .values({
          session_id: sessionId,
          homeserver,
          room,
          token_env,
          users: JSON.stringify(users),
          invited_by: null,
          since: null,
          last_event: null,
          sent_to: 0,
          receipt_to: 0,
        })
        .execute()
    },
    async list() {
      const found = await db
        .selectFrom('chat_rooms')
        .innerJoin('sessions', 'sessions.id', 'chat_rooms.session_id')
        .select(['homeserver', 'room', 'token_env', 'users', 'sessions.id', 'sessions.name', 'sessions.status'])
        .where('sessions.hub_id', '=', hubId)
        .execute()
      return found.map(({ homeserver, room, token_env, users, id, name, status }) => ({
        homeserver,
        room,
        token_env,
        users: JSON.parse(users) as string[],
        session: { id, name, status },
      }))
    },
    async placeOf(sessionId) {
      const row = await db
        .selectFrom('chat_rooms')
        .select(['since', 'last_event', 'invited_by'])
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return {
        since: row?.since ?? undefined,
        lastEvent: row?.last_event ?? undefined,
        invitedBy: row?.invited_by ?? undefined,
      }
    },
    async noteInviter(sessionId, user) {
      await db.updateTable('chat_rooms').set({ invited_by: user }).where('session_id', '=', sessionId).execute()
    },
    receive: (sessionId, { since, lastEvent, changes, echoes, readEvents }) =>
      db.transaction().execute(async (transaction) => {
        const stored: ChatMessage[] = []
        for (const { eventId, messageId } of echoes) await noteEvent(transaction, sessionId, eventId, messageId)
        for (const change of changes) stored.push(...(await apply(transaction, sessionId, change)))
        for (const eventId of readEvents) {
          const read = await findMessage(transaction, sessionId, eventId)
          if (read) await markIn(transaction, sessionId, 'person', read.message_id)
        }
        await transaction
          .updateTable('chat_rooms')
          .set({ since, ...(lastEvent !== undefined && { last_event: lastEvent }) })
          .where('session_id', '=', sessionId)
          .execute()
        return stored
      }),
    async nextUnsent(sessionId) {
      const row = await db
        .selectFrom('chat_messages')
        .innerJoin('chat_rooms', 'chat_rooms.session_id', 'chat_messages.session_id')
        .selectAll('chat_messages')
        .where('chat_messages.session_id', '=', sessionId)
        .where('author', 'is', null)
        .whereRef('chat_messages.id', '>', 'chat_rooms.sent_to')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('chat_room_events')
                .select('event_id')
                .whereRef('chat_room_events.session_id', '=', 'chat_messages.session_id')
                .whereRef('chat_room_events.message_id', '=', 'chat_messages.id'),
            ),
          ),
        )
        .orderBy('chat_messages.id')
        .limit(1)
        .executeTakeFirst()
      return row && toMessage(row)
    },
    noteSent: (sessionId, messageId, eventId) =>
      db.transaction().execute(async (transaction) => {
        if (eventId !== undefined) await noteEvent(transaction, sessionId, eventId, messageId)
        await transaction
          .updateTable('chat_rooms')
          .set({ sent_to: messageId })
          .where('session_id', '=', sessionId)
          .execute()
      }),
    async eventOf(sessionId, messageId) {
      const row = await db
        .selectFrom('chat_room_events')
        .select('event_id')
        .where('session_id', '=', sessionId)
        .where('message_id', '=', messageId)
        .executeTakeFirst()
      return row?.event_id
    },
    async nextReceipt(sessionId) {
      const row = await db
        .selectFrom('chat_room_events')
        .innerJoin('chats', 'chats.session_id', 'chat_room_events.session_id')
        .innerJoin('chat_rooms', 'chat_rooms.session_id', 'chat_room_events.session_id')
        .innerJoin('chat_messages', (join) =>
          join
            .onRef('chat_messages.session_id', '=', 'chat_room_events.session_id')
            .onRef('chat_messages.id', '=', 'chat_room_events.message_id'),
        )
        .select(['event_id', 'message_id'])
        .where('chat_room_events.session_id', '=', sessionId)
        .where('chat_messages.side', '=', 'person')
        .whereRef('message_id', '<=', 'chats.agent_read_to')
        .whereRef('message_id', '>', 'chat_rooms.receipt_to')
        .orderBy('message_id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && { eventId: row.event_id, messageId: row.message_id }
    },
    async noteReceipt(sessionId, messageId) {
      await db.updateTable('chat_rooms').set({ receipt_to: messageId }).where('session_id', '=', sessionId).execute()
    },
  }
}

/** Returns the new messages. A change that came before does nothing. */
async function apply(db: Handle, sessionId: string, change: RoomChange): Promise<readonly ChatMessage[]> {
  switch (change.is) {
    case 'message':
      return say(db, sessionId, change, { repliesTo: change.repliesTo })
    case 'edit': {
      const original = await findOriginal(db, sessionId, change.of)
      if (original?.author !== change.author || original.isRemoved) return []
      if (await findMessage(db, sessionId, change.eventId)) return []
      await emptyIn(db, sessionId, original.ids)
      return say(db, sessionId, change, { replaces: original.id })
    }
    case 'redaction':
      return remove(db, sessionId, change)
  }
}

async function say(
  db: Handle,
  sessionId: string,
  { eventId, author, content }: RoomText,
  { repliesTo, replaces }: { readonly repliesTo?: string | undefined; readonly replaces?: number | undefined },
): Promise<readonly ChatMessage[]> {
  if (await findMessage(db, sessionId, eventId)) return []
  const answered = repliesTo === undefined ? undefined : await findMessage(db, sessionId, repliesTo)
  const relations = { replaces, repliesTo: answered?.message_id }
  const message = await postIn(db, sessionId, { side: 'person', author, mime: 'text/plain', content, ...relations })
  await noteEvent(db, sessionId, eventId, message.id)
  return [message]
}

/** An agent that has read the message cannot forget it, so it is told. */
async function remove(
  db: Handle,
  sessionId: string,
  { of, author }: Extract<RoomChange, { readonly is: 'redaction' }>,
): Promise<readonly ChatMessage[]> {
  const original = await findOriginal(db, sessionId, of)
  if (!original || original.isRemoved) return []
  await emptyIn(db, sessionId, original.ids)
  const chat = await db
    .selectFrom('chats')
    .select('agent_read_to')
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  const seen = original.ids.findLast((id) => id <= chat.agent_read_to)
  if (seen === undefined) return []
  const content = `Message ${seen} was removed.`
  return [await postIn(db, sessionId, { side: 'person', author, mime: 'text/plain', content, removes: seen })]
}

/** A message of a person from the room, with those that have replaced it. `isRemoved`: all of them are empty. */
async function findOriginal(db: Handle, sessionId: string, eventId: string) {
  const found = await findMessage(db, sessionId, eventId)
  if (!found) return undefined
  const rows = await db
    .selectFrom('chat_messages')
    .select(['id', 'author', 'is_gone'])
    .where('session_id', '=', sessionId)
    .where(({ or, eb }) => or([eb('id', '=', found.message_id), eb('replaces', '=', found.message_id)]))
    .orderBy('id')
    .execute()
  const author = rows[0]?.author ?? undefined
  if (author === undefined) return undefined
  return {
    id: found.message_id,
    ids: rows.map(({ id }) => id),
    author,
    isRemoved: rows.every((row) => row.is_gone === 1),
  }
}

function findMessage(db: Handle, sessionId: string, eventId: string) {
  return db
    .selectFrom('chat_room_events')
    .select('message_id')
    .where('session_id', '=', sessionId)
    .where('event_id', '=', eventId)
    .executeTakeFirst()
}

/** Both the answer to a request and the echo of it may bring the event of a message. The first counts. */
async function noteEvent(db: Handle, sessionId: string, eventId: string, messageId: number): Promise<void> {
  await db
    .insertInto('chat_room_events')
    .values({ session_id: sessionId, event_id: eventId, message_id: messageId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
