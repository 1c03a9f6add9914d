/** Opens a SQLite file with the settings the hub needs, and explains in plain words why a file cannot be used. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError, messageOf } from './hub-error.ts'

export interface SqliteFileOptions {
  /** `full` also survives a power cut; `normal` may then lose its last moments. Both survive a killed hub. */
  readonly durability: 'full' | 'normal'
  /** How long a statement waits, blocking, for another process that holds the file. */
  readonly busyTimeoutMs: number
  /** Reads every page once, so that damage is found at the start and not later. */
  readonly checkPages?: boolean
  /** Lets the file return free space in small steps. It only works for a new file. */
  readonly incrementalVacuum?: boolean
}

export function openSqliteFile(path: string, options: SqliteFileOptions): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    createPrivately(path)
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: options.busyTimeoutMs })
    // This must come before the first write.
    if (options.incrementalVacuum === true) database.exec('pragma auto_vacuum = incremental')
    database.exec(`pragma journal_mode = wal; pragma synchronous = ${options.durability}`)
    if (options.checkPages === true) checkPages(database)
    return database
  } catch (error) {
    database?.close()
    throw explainSqliteError(error, path)
  }
}

/** SQLite creates files that all users can read, and gives its side files the mode of the main file. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

class DamagedFile extends Error {}

function checkPages(database: DatabaseSync): void {
  const result = database.prepare('pragma quick_check(1)').get()
  const finding = Object.values(result ?? {})[0]
  if (finding !== 'ok') throw new DamagedFile(String(finding))
}

/** Turns a failure of SQLite into a HubError that names the file and says what to do. */
export function explainSqliteError(error: unknown, path: string): HubError {
  const reason = messageOf(error)
  const fail = (advice: string, code: 'busy' | 'unavailable' = 'unavailable'): HubError =>
    new HubError(code, `${advice} (${reason})`, { cause: error, data: { path } })
  if (error instanceof HubError) return error
  if (error instanceof DamagedFile) return fail(damaged(path))
  switch (sqliteErrorCode(error)) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return fail(`${path} is in use by another process. Stop that process, or try again in a moment.`, 'busy')
    case 8: // SQLITE_READONLY
    case 14: // SQLITE_CANTOPEN
      return fail(`The hub cannot open ${path} for writing. Make it and its directory writable for this user.`)
    case 10: // SQLITE_IOERR
      return fail(`The disk failed while ${path} was in use. Check the disk and the space left on it.`)
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return fail(damaged(path))
    case 13: // SQLITE_FULL
      return fail(`There is no space left for ${path}. Free some space, then try again.`)
    default:
      return fail(`The hub cannot use ${path}. Check that the path is right and that this user may write there.`)
  }
}

function damaged(path: string): string {
  return `${path} is damaged or not a database. Move it away with its -wal and -shm files. Then restore a backup, or start with an empty store.`
}

/** Whether the disk is full or broken. Also takes an error that `explainSqliteError` returned. */
export function isDiskFailure(error: unknown): boolean {
  const code = sqliteErrorCode(error instanceof HubError ? error.cause : error)
  return code === 10 || code === 13
}

/** SQLite's primary result code, without the extended bits. */
export function sqliteErrorCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}
