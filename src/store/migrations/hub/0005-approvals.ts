import type { Migration } from '../migration.ts'

export const approvals: Migration = {
  name: '0005-approvals',
  statements: [
    `create table approvals (
      id text not null primary key,
      hub_id text not null,
      session_id text not null references sessions (id) on delete cascade,
      tool text not null,
      arguments text not null,
      digest text not null,
      rule text,
      rule_reason text,
      policy_version text not null,
      status text not null,
      correlation text not null,
      requested_at text not null,
      expires_at text not null,
      decided_at text,
      decided_by text,
      reason text,
      grant_id text,
      told_at text,
      notified_at text,
      revision integer not null
    )`,
    // A repeated call finds its approval instead of asking twice.
    `create unique index approvals_open on approvals (session_id, tool, digest, policy_version) where status in ('pending', 'approved')`,
    // An answer that no call waited for is kept for the next identical call.
    `create index approvals_by_call on approvals (session_id, tool, digest)`,
    `create index approvals_by_status on approvals (status, requested_at)`,
    `create index approvals_by_session on approvals (session_id, requested_at)`,
    `create index approvals_by_revision on approvals (revision)`,
    // A separate counter, because rows are deleted with their sessions and no number may be used twice.
    `create table approval_revisions (id integer not null primary key, last integer not null)`,
    `insert into approval_revisions (id, last) values (1, 0)`,
    `create table grants (
      id text not null primary key,
      session_id text references sessions (id) on delete cascade,
      tool text not null,
      condition text,
      approval_id text not null,
      created_at text not null,
      created_by text not null,
      revoked_at text,
      revoked_by text
    )`,
    `create index grants_by_session on grants (session_id)`,
  ],
}
