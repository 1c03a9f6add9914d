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
  readonly base?: BaseSchema
}

/** A shorter way to the schema for a new SQLite file. */
export interface BaseSchema {
  /** The last migration that it replaces. */
  readonly upTo: string
  readonly statements: readonly string[]
}

/** Creates the whole schema in an empty SQLite database. */
export function creationStatements({ base, migrations }: MigrationSet): readonly string[] {
  const replaced = migrations.findIndex(({ name }) => name === base?.upTo) + 1
  const later = migrations.slice(replaced).flatMap(({ statements }) => statements)
  return [...(base?.statements ?? []), ...later]
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(JSON.stringify(migration.statements)).digest('hex')
}
