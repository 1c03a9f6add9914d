import type { Migration } from '../migration.ts'

export const sessionDriver: Migration = {
  name: '0014-session-driver',
  statements: [
    // Every session from before drivers existed runs in a terminal.
    `alter table sessions add column driver text not null default 'pty'`,
  ],
}
