import type { Migration } from '../migration.ts'

export const threads: Migration = {
  name: '0018-threads',
  statements: [
    `create table threads (
      id text not null primary key,
      session_id text not null references sessions (id) on delete cascade,
      agent text not null,
      conversation text,
      parent text,
      fork_key text,
      label text,
      created_at text not null
    )`,
    // A resumed session continues the thread of its conversation.
    `create unique index threads_by_conversation on threads (agent, conversation)`,
    `create index threads_by_session on threads (session_id, created_at)`,
    `create table thread_entries (
      thread_id text not null references threads (id) on delete cascade,
      seq integer not null,
      key text not null,
      type text not null,
      at text not null,
      model text,
      body text not null,
      primary key (thread_id, seq)
    )`,
    // An entry that a driver writes twice is stored once.
    `create unique index thread_entries_by_key on thread_entries (thread_id, key)`,
    `create table thread_progress (
      session_id text not null primary key references sessions (id) on delete cascade,
      read_to text not null
    )`,
    `alter table sessions add column mode text not null default 'terminal'`,
  ],
}
