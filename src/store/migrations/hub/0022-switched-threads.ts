import type { Migration } from '../migration.ts'

/**
 * A thread may have no session: it was imported, or it is a fork that no session continues yet. SQLite cannot make a
 * column optional, so the tables are copied. The entries go first, because dropping the threads would delete them.
 */
export const switchedThreads: Migration = {
  name: '0022-switched-threads',
  statements: [
    `create table threads_new (
      id text not null primary key,
      session_id text references sessions (id) on delete cascade,
      agent text not null,
      conversation text,
      parent text,
      fork_key text,
      label text,
      created_at text not null
    )`,
    `insert into threads_new (id, session_id, agent, conversation, parent, fork_key, label, created_at)
      select id, case when parent is not null and conversation is null then null else session_id end,
        agent, conversation, parent, fork_key, label, created_at from threads`,
    `create table thread_entries_new (
      thread_id text not null references threads_new (id) on delete cascade,
      seq integer not null,
      key text not null,
      type text not null,
      at text not null,
      model text,
      body text not null,
      primary key (thread_id, seq)
    )`,
    `insert into thread_entries_new (thread_id, seq, key, type, at, model, body)
      select thread_id, seq, key, type, at, model, body from thread_entries`,
    `drop table thread_entries`,
    `drop table threads`,
    `alter table threads_new rename to threads`,
    `alter table thread_entries_new rename to thread_entries`,
    `create unique index threads_by_conversation on threads (agent, conversation)`,
    `create index threads_by_session on threads (session_id, created_at)`,
    `create unique index thread_entries_by_key on thread_entries (thread_id, key)`,
    // The model that a person chose for the built-in agent. Null: that of its template.
    `alter table sessions add column model text`,
  ],
}
