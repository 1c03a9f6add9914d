import type { Migration } from '../migration.ts'

export const turns: Migration = {
  name: '0019-turns',
  statements: [
    // The turns that have not ended. When the next hub finds an agent at work, it must know for whom the agent works.
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
