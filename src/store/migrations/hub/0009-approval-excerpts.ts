import type { Migration } from '../migration.ts'

export const approvalExcerpts: Migration = {
  name: '0009-approval-excerpts',
  statements: [
    // The hidden parts of the arguments, apart from their text, because the text may say anything.
    `alter table approvals add column hidden text not null default '[]'`,
    // The part of large arguments that lists show.
    `alter table approvals add column excerpt text`,
    `alter table approvals add column arguments_bytes integer not null default 0`,
  ],
}
