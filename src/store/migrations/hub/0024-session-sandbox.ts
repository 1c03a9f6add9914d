import type { Migration } from '../migration.ts'

/** The sandbox that a person named for a session, and how its program is confined. */
export const sessionSandbox: Migration = {
  name: '0024-session-sandbox',
  statements: [`alter table sessions add column sandbox text`, `alter table sessions add column confined text`],
}
