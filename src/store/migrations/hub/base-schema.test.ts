import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { creationStatements, hubMigrations } from '../migrations.ts'
import { hubBaseSchema } from './base-schema.ts'

const replaced = hubMigrations.migrations.slice(
  0,
  hubMigrations.migrations.findIndex(({ name }) => name === hubBaseSchema.upTo) + 1,
)
const migrated = replaced.flatMap(({ statements }) => statements)

test('the base schema equals the schema that the replaced migrations create', () => {
  expect(replaced.length).toBeGreaterThan(20)
  expect(contentsAfter(hubBaseSchema.statements)).toEqual(contentsAfter(migrated))
})

test('newer migrations run on top of the base schema', () => {
  const later = { name: 'later', statements: ['alter table tokens add column colour text'] }
  const statements = creationStatements({ ...hubMigrations, migrations: [...replaced, later] })
  expect(contentsAfter(statements)).toEqual(contentsAfter([...migrated, ...later.statements]))
})

test.each([
  ['a column', 'alter table tokens add column colour text'],
  ['a default', `alter table tokens add column colour text default 'red'`],
  ['an index', 'create index tokens_by_hash on tokens (hash)'],
  ['a row', `insert into approval_revisions (id, last) values (2, 0)`],
])('the comparison finds %s that only one side has', (_, statement) => {
  expect(contentsAfter([...migrated, statement])).not.toEqual(contentsAfter(migrated))
})

/** The definitions of all tables and indexes, and all rows. */
function contentsAfter(statements: readonly string[]): object {
  using database = new DatabaseSync(':memory:')
  database.exec(statements.join(';\n'))
  const objects = database.prepare('select type, name, sql from sqlite_master order by type, name').all()
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => String(name))
  return {
    objects: objects.map(({ type, name, sql }) => ({ type, name, sql: sql === null ? null : normal(String(sql)) })),
    columns: tables.map((table) => database.prepare(`select * from pragma_table_xinfo('${table}')`).all()),
    foreignKeys: tables.map((table) => database.prepare(`select * from pragma_foreign_key_list('${table}')`).all()),
    rows: tables.map((table) => database.prepare(`select * from "${table}"`).all()),
  }
}

/** SQLite keeps the text of a statement, with its spaces and quotes. */
function normal(sql: string): string {
  return sql
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
}
