/**
 * Checks that the tables match the migrations. A person may have altered them by hand. It is better to report that when
 * the hub starts than to fail later in a query.
 */
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { HubError } from '../base/hub-error.ts'
import type { MigrationSet } from './migrations/migrations.ts'

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
}

/** Runs the migrations in memory and reads the columns they create. Both engines have the same columns. */
export function expectedColumns({ migrations }: MigrationSet): Column[] {
  using scratch = new DatabaseSync(':memory:')
  for (const { statements } of migrations) for (const statement of statements) scratch.exec(statement)
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
  const tables = new Set(expected.map(({ table }) => table))
  for (const wanted of expected) {
    const there = actual.find(({ table, name }) => table === wanted.table && name === wanted.name)
    const isTableThere = there !== undefined || actual.some(({ table }) => table === wanted.table)
    if (!isTableThere) throw altered(place, `the table "${wanted.table}" is missing`)
    if (there === undefined) throw altered(place, `the column "${wanted.name}" of "${wanted.table}" is missing`)
    if (describe(there) !== describe(wanted)) {
      throw altered(
        place,
        `the column "${wanted.name}" of "${wanted.table}" is ${describe(there)}, not ${describe(wanted)}`,
      )
    }
  }
  const unknown = actual.find(
    ({ table, name }) =>
      tables.has(table) && !expected.some((column) => column.table === table && column.name === name),
  )
  if (unknown !== undefined) throw altered(place, `there is an unknown column "${unknown.name}" in "${unknown.table}"`)
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
