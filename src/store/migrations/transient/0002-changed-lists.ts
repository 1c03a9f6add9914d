import type { Migration } from '../migration.ts'

/** Changed lists were stored as subscriptions to `list:<list>:<face>`, which a client's URI could imitate. */
export const changedLists: Migration = {
  name: '0002-changed-lists',
  statements: [
    `create table connection_changed_lists (
      connection_id text not null references connections (id) on delete cascade,
      list text not null,
      primary key (connection_id, list)
    )`,
    ...['tools', 'prompts', 'resources'].map(
      (list) => `insert into connection_changed_lists (connection_id, list)
        select distinct connection_id, '${list}' from connection_subscriptions
        where changed = 1 and uri like 'list:${list}:%'`,
    ),
    `delete from connection_subscriptions where uri like 'list:%'`,
  ],
}
