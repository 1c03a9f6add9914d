/** Every migration there is, oldest first. Add new ones at the end; edit none. */
import type { MigrationSet } from './migration.ts'
import { tokens } from './hub/0001-tokens.ts'
import { sessions } from './hub/0002-sessions.ts'
import { connections } from './transient/0001-connections.ts'

export type { Migration, MigrationSet } from './migration.ts'
export { checksumOf } from './migration.ts'

export const hubMigrations: MigrationSet = { name: 'hub', migrations: [tokens, sessions] }

export const transientMigrations: MigrationSet = { name: 'transient', migrations: [connections] }
