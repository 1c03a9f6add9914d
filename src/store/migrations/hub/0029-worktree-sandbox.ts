import type { Migration } from '../migration.ts'

/** How the scripts of a worktree are confined. Null: a hub that did not record it made the worktree. */
export const worktreeSandbox: Migration = {
  name: '0029-worktree-sandbox',
  statements: [`alter table worktrees add column sandbox text`],
}
