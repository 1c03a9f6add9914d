import type { Migration } from '../migration.ts'

/** For an ended approval, only the excerpt is kept. */
export const endedApprovals: Migration = {
  name: '0011-ended-approvals',
  statements: [
    `update approvals set arguments = excerpt, excerpt = null
      where excerpt is not null and status not in ('pending', 'approved')`,
  ],
}
