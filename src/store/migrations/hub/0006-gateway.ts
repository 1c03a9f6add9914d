import type { Migration } from '../migration.ts'

export const gateway: Migration = {
  name: '0006-gateway',
  statements: [
    // What an agent subscribed to with its tools; it goes on after a restart.
    `create table mount_subscriptions (
      session_id text not null references sessions (id) on delete cascade,
      mount text not null,
      uri text not null,
      created_at text not null,
      primary key (session_id, mount, uri)
    )`,
  ],
}
