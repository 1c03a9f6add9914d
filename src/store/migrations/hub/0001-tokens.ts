import type { Migration } from '../migration.ts'

export const tokens: Migration = {
  name: '0001-tokens',
  statements: [
    `create table tokens (
      id text not null primary key,
      role text not null,
      session text,
      label text,
      toolsets text,
      hash text not null unique,
      created_at text not null,
      expires_at text,
      revoked_at text,
      last_used_at text
    )`,
  ],
}
