import type { Migration } from '../migration.ts'

export const approvalParents: Migration = {
  name: '0007-approval-parents',
  statements: [
    // The event of the call that asked. All later events of the approval are its children.
    `alter table approvals add column parent text`,
  ],
}
