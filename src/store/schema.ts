/**
 * Checks that the tables match the migrations. A person may have altered them by hand. It is better to report that when
 * the hub starts than to fail later in a query.
 */
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HubError } from '../base/hub-error.ts'
import { creationStatements } from './migrations/migrations.ts'
import type { MigrationSet } from './migrations/migrations.ts'

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
}

/** Creates the schema in memory and reads its columns. Both engines have the same columns. */
export function expectedColumns(set: MigrationSet): Column[] {
  using scratch = new DatabaseSync(':memory:')
  scratch.exec(creationStatements(set).join(';\n'))
  const rows = scratch.prepare(sqliteColumns).all()
  return rows.map((row) => ({
    table: String(row['table']),
    name: String(row['name']),
    type: String(row['type']),
    isNullable: row['nullable'] === 1,
  }))
}

const sqliteColumns = `
  select m.name as "table", c.name as name, lower(c.type) as type, c."notnull" = 0 as nullable
  from sqlite_master m, pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite_%'`

const postgresColumns = `
  select table_name as "table", column_name as name, data_type as type, case is_nullable when 'YES' then 1 else 0 end as nullable
  from information_schema.columns
  where table_schema = current_schema()`

export async function actualColumns(db: Kysely<never>, engine: 'sqlite' | 'postgres'): Promise<Column[]> {
  const query = sql.raw<{ table: string; name: string; type: string; nullable: number }>(
    engine === 'sqlite' ? sqliteColumns : postgresColumns,
  )
  const { rows } = await query.execute(db)
  return rows.map(({ nullable, ...column }) => ({ ...column, isNullable: nullable === 1 }))
}

/** Throws for the first difference, by table and column. Ignores other tables in the same database. */
export function checkColumns(expected: readonly Column[], actual: readonly Column[], place: string): void {
  const wantedTables = byTable(expected)
  const actualTables = byTable(actual)
  for (const [table, columns] of wantedTables) {
    const present = actualTables.get(table)
    if (present === undefined) throw altered(place, `the table "${table}" is missing`)
    for (const [name, wanted] of columns) {
      const there = present.get(name)
      if (there === undefined) throw altered(place, `the column "${name}" of "${table}" is missing`)
      if (describe(there) !== describe(wanted)) {
        throw altered(place, `the column "${name}" of "${table}" is ${describe(there)}, not ${describe(wanted)}`)
      }
    }
    const unknown = present.keys().find((name) => !columns.has(name))
    if (unknown !== undefined) throw altered(place, `there is an unknown column "${unknown}" in "${table}"`)
  }
}

function byTable(columns: readonly Column[]): Map<string, Map<string, Column>> {
  const tables = new Map<string, Map<string, Column>>()
  for (const column of columns) {
    const known = tables.get(column.table) ?? new Map<string, Column>()
    tables.set(column.table, known.set(column.name, column))
  }
  return tables
}

function describe({ type, isNullable }: Column): string {
  return isNullable ? `${type} that may be null` : `${type} that may not be null`
}

function altered(place: string, difference: string): HubError {
  return new HubError(
    'unavailable',
    `The schema of ${place} was changed by hand: ${difference}. Undo that change, or restore a backup.`,
  )
}
