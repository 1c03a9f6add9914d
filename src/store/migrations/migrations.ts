/** Every migration there is, oldest first. Add new ones at the end; edit none. */
import type { MigrationSet } from './migration.ts'
import { tokens } from './hub/0001-tokens.ts'
import { sessions } from './hub/0002-sessions.ts'
import { connectors } from './hub/0003-connectors.ts'
import { policies } from './hub/0004-policies.ts'
import { approvals } from './hub/0005-approvals.ts'
import { gateway } from './hub/0006-gateway.ts'
import { approvalParents } from './hub/0007-approval-parents.ts'
import { sessionActivity } from './hub/0008-session-activity.ts'
import { approvalExcerpts } from './hub/0009-approval-excerpts.ts'
import { connections } from './transient/0001-connections.ts'

export type { Migration, MigrationSet } from './migration.ts'
export { checksumOf } from './migration.ts'

export const hubMigrations: MigrationSet = {
  name: 'hub',
  migrations: [
    tokens,
    sessions,
    connectors,
    policies,
    approvals,
    gateway,
    approvalParents,
    sessionActivity,
    approvalExcerpts,
  ],
}

export const transientMigrations: MigrationSet = { name: 'transient', migrations: [connections] }
