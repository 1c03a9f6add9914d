import type { Migration } from '../migration.ts'

export const turns: Migration = {
  name: '0019-turns',
  statements: [
    // The turns that have not ended. The next hub must know for whom an agent works that it finds at work.
    `create table turns (
      id text not null primary key,
      hub_id text not null,
      session_id text not null references sessions (id) on delete cascade,
      chain text not null,
      correlation text not null,
      event text not null,
      thread_id text,
      seq integer not null,
      prompt text,
      started_at text not null
    )`,
    `create index turns_by_hub on turns (hub_id, started_at)`,
  ],
}
