import type { Migration } from '../migration.ts'

export const worktrees: Migration = {
  name: '0016-worktrees',
  statements: [
    // The git worktrees that a hub created. The hub removes no other.
    `create table worktrees (
      hub_id text not null,
      path text not null,
      repository text not null,
      branch text,
      template text not null,
      is_set_up integer not null,
      created_at text not null,
      primary key (hub_id, path)
    )`,
  ],
}
