import type { Migration } from '../migration.ts'

export const connections: Migration = {
  name: '0001-connections',
  statements: [
    `create table connections (
      id text not null primary key,
      hub_id text not null,
      token_id text not null,
      protocol_version text not null,
      client_info text not null,
      client_capabilities text not null,
      toolsets text,
      log_level text,
      created_at text not null,
      last_seen_at text not null
    )`,
    `create index connections_by_hub on connections (hub_id)`,
    `create table connection_subscriptions (
      connection_id text not null references connections (id) on delete cascade,
      uri text not null,
      changed integer not null,
      primary key (connection_id, uri)
    )`,
    `create table connection_streams (
      connection_id text not null references connections (id) on delete cascade,
      id text not null,
      request_id text,
      state text not null,
      updated_at text not null,
      primary key (connection_id, id)
    )`,
    `create table connection_stream_events (
      connection_id text not null,
      stream_id text not null,
      seq integer not null,
      message text not null,
      primary key (connection_id, stream_id, seq),
      foreign key (connection_id, stream_id) references connection_streams (connection_id, id) on delete cascade
    )`,
  ],
}
