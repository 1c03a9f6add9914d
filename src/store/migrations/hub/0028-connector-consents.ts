import type { Migration } from '../migration.ts'

/** The programs of connectors that a person allows to run outside of the sandboxes of sessions. */
export const connectorConsents: Migration = {
  name: '0028-connector-consents',
  statements: [
    `create table mcp_connector_consents (
      connector_id text not null references mcp_connectors (id) on delete cascade,
      program text not null,
      given_by text not null,
      given_at text not null,
      primary key (connector_id, program)
    )`,
  ],
}
