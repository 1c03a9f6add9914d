import type { Migration } from '../migration.ts'

export const sessionActivity: Migration = {
  name: '0008-session-activity',
  statements: [
    // The last activity. The next hub continues from it and does not repeat notifications.
    `alter table sessions add column activity text`,
  ],
}
