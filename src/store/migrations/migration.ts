import { createHash } from 'node:crypto'

/**
 * One change of the schema, in SQL that both engines understand. A released migration is never edited, because every
 * database that applied it stores its checksum.
 */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** The migrations of one of the two classes of durability. */
export interface MigrationSet {
  readonly name: 'hub' | 'transient'
  readonly migrations: readonly Migration[]
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(JSON.stringify(migration.statements)).digest('hex')
}
