/**
 * Applies the migrations and checks the result: no unknown migration, none that changed since it was applied, no column
 * that differs. It all happens in one transaction, so that two hubs that start at once do not race.
 */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HubError } from '../base/hub-error.ts'
import { checksumOf, creationStatements } from './migrations/migrations.ts'
import type { Migration, MigrationSet } from './migrations/migrations.ts'
import { actualColumns, checkColumns, expectedColumns } from './schema.ts'

export interface MigrationPlace {
  readonly engine: 'sqlite' | 'postgres'
  /** The database in words for people: its file, or its host and name. */
  readonly place: string
}

interface AppliedMigration {
  readonly set_name: string
  readonly name: string
  readonly checksum: string
  readonly applied_at: string
}

interface MigrationTables {
  signalbox_migrations: AppliedMigration
}

export async function migrate<T>(db: Kysely<T>, set: MigrationSet, { engine, place }: MigrationPlace): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const handle = transaction as unknown as Kysely<MigrationTables>
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(handle)
    await sql.raw(createRecordStatement).execute(handle)
    const applied = await handle
      .selectFrom('signalbox_migrations')
      .selectAll()
      .where('set_name', '=', set.name)
      .orderBy('name')
      .execute()
    const pending = pendingMigrations(set.migrations, applied, place)
    const isNewFile = engine === 'sqlite' && applied.length === 0
    const statements = isNewFile ? creationStatements(set) : pending.flatMap((migration) => migration.statements)
    for (const statement of statements) await sql.raw(statement).execute(handle)
    if (pending.length > 0) {
      const common = { set_name: set.name, applied_at: new Date().toISOString() }
      const records = pending.map((migration) => ({
        ...common,
        name: migration.name,
        checksum: checksumOf(migration),
      }))
      await handle.insertInto('signalbox_migrations').values(records).execute()
    }
    // No person can have altered a file that this transaction creates.
    if (isNewFile) return
    checkColumns(expectedColumns(set), await actualColumns(handle as unknown as Kysely<never>, engine), place)
  })
}

/** An arbitrary number that is the same for every hub. */
const migrationLock = 7_420_001

const createRecordStatement = `create table if not exists signalbox_migrations (
  set_name text not null,
  name text not null,
  checksum text not null,
  applied_at text not null,
  primary key (set_name, name)
)`

/** Checks that the applied migrations are known and unchanged, and returns the others. */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly Pick<AppliedMigration, 'name' | 'checksum'>[],
  place: string,
): Migration[] {
  for (const { name, checksum } of applied) {
    const migration = known.find((candidate) => candidate.name === name)
    if (migration === undefined) {
      throw new HubError(
        'unavailable',
        `${place} was written by a newer signalbox (this version does not know migration ${name}). Install that version or a later one.`,
      )
    }
    if (checksumOf(migration) !== checksum) {
      throw new HubError(
        'unavailable',
        `Migration ${name} differs from the one that created ${place}. Run the signalbox release that created it, or restore a backup of this release.`,
      )
    }
  }
  return known.filter(({ name }) => !applied.some((done) => done.name === name))
}
