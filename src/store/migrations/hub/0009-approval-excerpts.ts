import type { Migration } from '../migration.ts'

export const approvalExcerpts: Migration = {
  name: '0009-approval-excerpts',
  statements: [
    // What the arguments do not show, apart from their text, which may say anything.
    `alter table approvals add column hidden text not null default '[]'`,
    // What lists show of arguments that are large.
    `alter table approvals add column excerpt text`,
    `alter table approvals add column arguments_bytes integer not null default 0`,
  ],
}
