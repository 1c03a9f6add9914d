import type { Migration } from '../migration.ts'

export const sessions: Migration = {
  name: '0002-sessions',
  statements: [
    `create table sessions (
      id text not null primary key,
      hub_id text not null,
      name text not null,
      template text not null,
      command text not null,
      args text,
      session_type text not null,
      backend text not null,
      status text not null,
      is_stop_asked integer not null,
      description text,
      labels text not null,
      workspace_path text not null,
      cols integer not null,
      rows integer not null,
      terminal_tools text not null,
      terminal_settings text not null,
      socket_name text,
      token_id text,
      job_id text unique,
      priority integer not null,
      exit_code integer,
      exit_signal text,
      last_message text,
      created_at text not null,
      started_at text,
      ended_at text,
      updated_at text not null
    )`,
    // An ended session keeps its name, and a new session may take the same name.
    `create unique index sessions_living_name on sessions (name) where status in ('queued', 'starting', 'running')`,
    `create index sessions_by_name on sessions (name, created_at)`,
    `create index sessions_by_time on sessions (created_at, id)`,
    `create index sessions_by_status on sessions (hub_id, status)`,
  ],
}
