/** Copies a SQLite database that a hub may be writing, and checks a copy. */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { explainSqliteError, isDiskFailure } from '../../base/sqlite-file.ts'
import { messageOf } from '../../base/hub-error.ts'

/**
 * One statement reads one state of the database, however much other processes write meanwhile, and they do not wait for
 * it. SQLite's backup API starts again with each write of another process, so a busy hub could hold it up for ever.
 */
export function copyDatabase(name: string, { from, to }: { readonly from: string; readonly to: string }): boolean {
  const [path, copy] = [join(from, name), join(to, name)]
  if (!existsSync(path)) return false
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
    database.prepare('vacuum into ?').run(copy)
    chmodSync(copy, 0o600)
    return true
  } catch (error) {
    throw explainSqliteError(error, isDiskFailure(error) ? copy : path)
  }
}

/** A hub that starts or stops holds its files for a moment. */
const busyTimeoutMs = 10_000

/** The damage of a copy, if any. */
export function damageOf(path: string): string | undefined {
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    const [verdict] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})
    return verdict === 'ok' ? undefined : String(verdict)
  } catch (error) {
    return messageOf(error)
  }
}
