import type { Migration } from '../migration.ts'

export const gateway: Migration = {
  name: '0006-gateway',
  statements: [
    // The subscriptions that an agent made with its tools. They survive a restart.
    `create table mount_subscriptions (
      session_id text not null references sessions (id) on delete cascade,
      mount text not null,
      uri text not null,
      created_at text not null,
      primary key (session_id, mount, uri)
    )`,
  ],
}
