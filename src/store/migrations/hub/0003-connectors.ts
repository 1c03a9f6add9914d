import type { Migration } from '../migration.ts'

export const connectors: Migration = {
  name: '0003-connectors',
  statements: [
    `create table mcp_connectors (
      id text not null primary key,
      name text not null unique,
      kind text not null,
      transport text not null,
      base_url text,
      cmd text,
      args text,
      env_keys text not null,
      headers text,
      options text not null,
      strict integer not null,
      enabled integer not null,
      created_at text not null,
      updated_at text not null
    )`,
    `create table mcp_session_bindings (
      id text not null primary key,
      session_id text not null references sessions (id) on delete cascade,
      connector_id text not null references mcp_connectors (id) on delete cascade,
      label text not null,
      transport_override text,
      endpoint_override text,
      cmd_override text,
      args_override text,
      env_keys_override text,
      headers_override text,
      options_override text,
      strict_override integer,
      priority integer not null,
      created_at text not null,
      updated_at text not null,
      unique (session_id, connector_id, label)
    )`,
    `create unique index mcp_session_bindings_mount on mcp_session_bindings (session_id, label)`,
    `create index mcp_session_bindings_by_connector on mcp_session_bindings (connector_id)`,
    // The lists an upstream last sent, so that the hub can serve them before the upstream is up again.
    `create table mcp_known_lists (
      connector_id text not null references mcp_connectors (id) on delete cascade,
      fingerprint text not null,
      lists text not null,
      updated_at text not null,
      primary key (connector_id, fingerprint)
    )`,
  ],
}
