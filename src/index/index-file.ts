/**
 * The SQLite file of one repository.
 *
 * `document` holds versions of files with their text; they never change. `file` is the tree that readers see: which
 * document is at which path. A refresh adds documents in small transactions, notes in `pending` where they go, and then
 * replaces the tree in one transaction. So readers see the last complete tree, and a killed refresh can continue.
 */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError } from '../base/hub-error.ts'
import { explainSqliteError, openSqliteFile, sqliteErrorCode } from '../base/sqlite-file.ts'

/** Counts up when the tables or the way files are split change. A file with another version is built again. */
const version = 4

const tables = `
  create table meta (key text primary key, value text not null) without rowid;
  create table document (
    id integer primary key,
    key blob not null unique,
    path text not null,
    lines integer not null,
    chunks integer not null,
    is_generated integer not null,
    -- The last column: SQLite would read the pages of the text to reach one behind it.
    text text not null
  );
  create table chunk (
    id integer primary key,
    document integer not null,
    start_line integer not null,
    end_line integer not null,
    symbol text,
    kind text,
    hash blob not null
  );
  create index chunk_of_document on chunk (document);
  create table definition (
    document integer not null,
    name text not null collate nocase,
    symbol text not null,
    kind text not null,
    start_line integer not null,
    end_line integer not null
  );
  create index definition_of_name on definition (name);
  create index definition_of_document on definition (document);
  create table file (
    path text primary key,
    stamp text not null,
    bytes integer not null,
    document integer,
    skipped text
  ) without rowid;
  create index file_of_document on file (document);
  create table pending (
    path text primary key,
    stamp text not null,
    bytes integer not null,
    document integer,
    skipped text
  ) without rowid;
  create table vector (hash blob primary key, vector blob not null) without rowid;
  create virtual table words using fts5(
    path, symbol, body, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
  );
  create virtual table document_words using fts5(
    path, symbol, body, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
  );
`

/** Commits that wait for the disk would make a refresh slow; the index can be built again. */
const durability = 'normal'
/** There is one writer, in one process. A reader waits only while the writer restarts the write-ahead log. */
const busyTimeoutMs = 5_000
/** Pages of SQLite that stay in memory. */
const cacheKib = 16 * 1024

export function indexFileOf(directory: string, id: string): string {
  if (!/^[\w-][\w.-]{0,99}$/.test(id)) throw new HubError('invalid', `"${id}" cannot name an index.`)
  return join(directory, `${id}.db`)
}

/** Opens the file to write, and creates it if it is missing, damaged, or of another version. */
export function openIndexToWrite(path: string): { database: DatabaseSync; wasDamaged: boolean } {
  let wasDamaged = false
  for (;;) {
    try {
      const database = openSqliteFile(path, { durability, busyTimeoutMs })
      try {
        // Temporary tables and sorting stay out of the working directory of the hub.
        database.exec(`pragma cache_size = -${cacheKib}; pragma temp_store = memory; pragma foreign_keys = off`)
        if (versionOf(database) === version) return { database, wasDamaged }
        if (versionOf(database) === 0 && isEmpty(database)) {
          database.exec(`begin; ${tables} pragma user_version = ${version}; commit`)
          return { database, wasDamaged }
        }
      } catch (error) {
        database.close()
        throw error
      }
      database.close()
    } catch (error) {
      if (!isDamage(error)) throw explainSqliteError(error, path)
      wasDamaged = true
    }
    deleteIndex(path)
  }
}

/** `undefined`: there is no index yet, or it is of another version. */
export function openIndexToRead(path: string): DatabaseSync | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  try {
    database.exec(`pragma cache_size = -${cacheKib}`)
    if (versionOf(database) === version) return database
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

export function deleteIndex(path: string): void {
  // The log first: with the log of another file, a new database would be damaged.
  for (const suffix of ['-wal', '-shm', '']) rmSync(path + suffix, { force: true })
}

/** The error for readers of a damaged index. The main thread builds the index again. */
export const damaged = 'The index was damaged and is built again. Try again in a moment.'

/** Whether the file is not a database, or has wrong pages. */
export function isDamage(error: unknown): boolean {
  const code = sqliteErrorCode(error instanceof HubError ? error.cause : error)
  return code === 11 || code === 26
}

function versionOf(database: DatabaseSync): unknown {
  return database.prepare('pragma user_version').get()?.['user_version']
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('select 1 from sqlite_schema limit 1').get() === undefined
}
