import type { Migration } from '../migration.ts'

export const sessionActivity: Migration = {
  name: '0008-session-activity',
  statements: [
    // What it was doing last: the next hub goes on from there, and tells nobody what they were told before.
    `alter table sessions add column activity text`,
  ],
}
