import type { Migration } from '../migration.ts'

export const repositories: Migration = {
  name: '0023-repositories',
  statements: [
    `create table repositories (
      id text not null primary key,
      hub_id text not null,
      name text not null,
      path text not null,
      ref text not null,
      workspace text,
      added_at text not null
    )`,
    `create unique index repositories_by_name on repositories (hub_id, name)`,
    `create index repositories_by_path on repositories (hub_id, path)`,
  ],
}
