import type { Migration } from '../migration.ts'

export const routes: Migration = {
  name: '0021-routes',
  statements: [
    `create table routes (
      action text not null primary key,
      ways text not null,
      safe_to_repeat integer not null,
      updated_at text not null
    )`,
  ],
}
