import type { Migration } from '../migration.ts'

export const approvalParents: Migration = {
  name: '0007-approval-parents',
  statements: [
    // The event of the call that asked: whatever becomes of the approval is told below it.
    `alter table approvals add column parent text`,
  ],
}
