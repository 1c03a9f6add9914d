/** Checks copies of the databases of a killed hub. The originals stay unchanged for the next hub. */
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createTempHome } from '../harness/temp-home.ts'

const databases = ['hub.db', 'connections.db', 'events.db']

export async function findDamage(home: string): Promise<readonly string[]> {
  await using copy = await createTempHome()
  const files = (await readdir(home)).filter((file) => databases.some((name) => file.startsWith(name)))
  for (const file of files) await cp(join(home, file), join(copy.path, file))
  const missing = databases.filter((name) => !files.includes(name))
  return [...missing.map((name) => `${name} is missing`), ...databases.flatMap((name) => inspect(copy.path, name))]
}

function inspect(folder: string, name: string): readonly string[] {
  const database = new DatabaseSync(join(folder, name))
  try {
    return [
      ...findings(database, 'PRAGMA integrity_check').filter((finding) => finding !== '["ok"]'),
      ...findings(database, 'PRAGMA foreign_key_check'),
      ...partialRows(database),
    ].map((finding) => `${name}: ${finding}`)
  } finally {
    database.close()
  }
}

function findings(database: DatabaseSync, statement: string): readonly string[] {
  return database
    .prepare(statement)
    .all()
    .map((row) => JSON.stringify(Object.values(row)))
}

/** Columns with JSON. If one holds part of a JSON text, its row was written only partly. */
const jsonColumns = [
  ['tokens', 'toolsets'],
  ['connections', 'client_info'],
  ['connections', 'client_capabilities'],
  ['connection_stream_events', 'message'],
  ['events', 'payload'],
] as const

function partialRows(database: DatabaseSync): readonly string[] {
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
  return jsonColumns
    .filter(([table]) => tables.some(({ name }) => name === table))
    .flatMap(([table, column]) =>
      findings(
        database,
        `SELECT rowid, ${column} FROM ${table} WHERE ${column} <> '' AND NOT json_valid(${column})`,
      ).map((row) => `a partial row in ${table}: ${row}`),
    )
}
