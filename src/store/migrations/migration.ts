import { createHash } from 'node:crypto'

/**
 * One step forward of the schema, in SQL that both engines understand. Once released it is never edited: its checksum stands
 * in every database that took it.
 */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** Which of the two classes of durability the tables belong to. */
export interface MigrationSet {
  readonly name: 'hub' | 'transient'
  readonly migrations: readonly Migration[]
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(JSON.stringify(migration.statements)).digest('hex')
}
