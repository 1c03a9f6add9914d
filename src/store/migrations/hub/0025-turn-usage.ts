import type { Migration } from '../migration.ts'

export const turnUsage: Migration = {
  name: '0025-turn-usage',
  statements: [
    // The usage of each turn. It outlives its session, so that the cost of a month is known after a prune.
    `create table turn_usage (
      thread_id text not null,
      key text not null,
      session_id text not null,
      session text not null,
      at text not null,
      input_tokens integer not null,
      output_tokens integer not null,
      cost_usd double precision,
      primary key (thread_id, key)
    )`,
    `create index turn_usage_by_time on turn_usage (at)`,
  ],
}
