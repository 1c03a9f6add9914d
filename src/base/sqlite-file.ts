/** Opens a SQLite file the way the hub wants it, and says in plain words what is wrong with one that cannot be used. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError, messageOf } from './hub-error.ts'

export interface SqliteFileOptions {
  /** `full` also survives a power cut; `normal` may then lose its last moments. Both survive a killed hub. */
  readonly durability: 'full' | 'normal'
  /** How long a statement waits, blocking, for another process that holds the file. */
  readonly busyTimeoutMs: number
  /** Reads every page once, so that damage is found now and not in the middle of work. */
  readonly checkPages?: boolean
  /** Lets a file that shrank give space back in small steps; only for one that is new. */
  readonly incrementalVacuum?: boolean
}

export function openSqliteFile(path: string, options: SqliteFileOptions): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    createPrivately(path)
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: options.busyTimeoutMs })
    // Must come before anything else is written.
    if (options.incrementalVacuum === true) database.exec('pragma auto_vacuum = incremental')
    database.exec(`pragma journal_mode = wal; pragma synchronous = ${options.durability}`)
    if (options.checkPages === true) checkPages(database)
    return database
  } catch (error) {
    database?.close()
    throw explainSqliteError(error, path)
  }
}

/** SQLite makes new files readable for all, and gives its side files the mode of the main one. */
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

/** A failure of SQLite as a HubError that names the file and the way out. */
export function explainSqliteError(error: unknown, path: string): HubError {
  const reason = messageOf(error)
  const fail = (advice: string, code: 'busy' | 'unavailable' = 'unavailable'): HubError =>
    new HubError(code, `${advice} (${reason})`, { cause: error, data: { path } })
  if (error instanceof HubError) return error
  if (error instanceof DamagedFile) return fail(damaged(path))
  switch (sqliteErrorCode(error)) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return fail(`${path} is in use by another process. Stop that one, or try again in a moment.`, 'busy')
    case 8: // SQLITE_READONLY
    case 14: // SQLITE_CANTOPEN
      return fail(`${path} cannot be opened for writing. Make it and its directory writable for this user.`)
    case 10: // SQLITE_IOERR
      return fail(`The disk failed while ${path} was in use. Check the disk and the space left on it.`)
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return fail(damaged(path))
    case 13: // SQLITE_FULL
      return fail(`There is no space left for ${path}. Free some, then try again.`)
    default:
      return fail(`${path} could not be used. Check that the path is right and that this user may write there.`)
  }
}

function damaged(path: string): string {
  return `${path} is damaged or no database. Move it away with its -wal and -shm files, and restore a backup or start anew.`
}

/** Nothing can be written: the disk is full or broken. Also where that was explained already. */
export function isDiskFailure(error: unknown): boolean {
  const code = sqliteErrorCode(error instanceof HubError ? error.cause : error)
  return code === 10 || code === 13
}

/** The primary result code of SQLite, without its extensions. */
export function sqliteErrorCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}
