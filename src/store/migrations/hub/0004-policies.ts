import type { Migration } from '../migration.ts'

export const policies: Migration = {
  name: '0004-policies',
  statements: [
    // Every version is kept, so that the policy behind an old decision can be read.
    `create table policies (
      scope text not null,
      target text not null,
      version integer not null,
      source text not null,
      saved_at text not null,
      saved_by text not null,
      primary key (scope, target, version)
    )`,
    `create table policy_proposals (
      id text not null primary key,
      session_id text not null references sessions (id) on delete cascade,
      rules text not null,
      why text not null,
      status text not null,
      created_at text not null,
      decided_at text,
      decided_by text,
      reason text
    )`,
    `create index policy_proposals_by_session on policy_proposals (session_id, created_at)`,
    `create index policy_proposals_by_status on policy_proposals (status, created_at)`,
  ],
}
