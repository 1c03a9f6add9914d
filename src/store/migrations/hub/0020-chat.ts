import type { Migration } from '../migration.ts'

export const chat: Migration = {
  name: '0020-chat',
  statements: [
    `create table chats (
      session_id text not null primary key references sessions (id) on delete cascade,
      head integer not null,
      bytes integer not null,
      person_read_to integer not null,
      agent_read_to integer not null
    )`,
    `create table chat_messages (
      session_id text not null references sessions (id) on delete cascade,
      id integer not null,
      side text not null,
      author text,
      mime text not null,
      content text not null,
      bytes integer not null,
      created_at text not null,
      primary key (session_id, id)
    )`,
    `create table chat_rooms (
      session_id text not null primary key references sessions (id) on delete cascade,
      homeserver text not null,
      room text not null,
      token_env text not null,
      since text,
      last_event text,
      sent_to integer not null,
      receipt_to integer not null
    )`,
    `create table chat_room_events (
      session_id text not null references sessions (id) on delete cascade,
      event_id text not null,
      message_id integer not null,
      primary key (session_id, event_id)
    )`,
    // A message has one event, however often a hub tries to send it.
    `create unique index chat_room_events_by_message on chat_room_events (session_id, message_id)`,
  ],
}
