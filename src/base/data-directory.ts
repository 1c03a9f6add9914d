/** The data directory: only its owner may enter it, and only one hub at a time may use it. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError, messageOf } from './hub-error.ts'
import { explainSqliteError } from './sqlite-file.ts'

export interface DataDirectory extends AsyncDisposable {
  readonly path: string
  readonly tokenFile: string
  readonly eventsFile: string
  /** Tells the CLI, and a second hub, where this one is. */
  announce(hub: HubNotice): Promise<void>
  /** A secret of this installation that outlives the hub. */
  key(name: string): Promise<Buffer>
}

export interface HubNotice {
  readonly url: string
  readonly pid: number
  readonly version: string
  readonly started_at: string
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await chmod(path, 0o700)
  } catch (error) {
    throw new HubError(
      'unavailable',
      `The data directory ${path} cannot be used: ${messageOf(error)}. Set SIGNALBOX_HOME to another.`,
      { cause: error },
    )
  }
  const noticeFile = join(path, 'hub.json')
  const lock = await takeLock(path, noticeFile)
  return {
    path,
    tokenFile: join(path, 'token'),
    eventsFile: join(path, 'events.db'),
    announce: (notice) => replaceFile(noticeFile, `${JSON.stringify(notice)}\n`),
    async key(name) {
      const file = join(path, `${name}.key`)
      const kept = await readFile(file).catch(() => undefined)
      if (kept?.length === 32) return kept
      const key = randomBytes(32)
      await replaceFile(file, key)
      return key
    },
    async [Symbol.asyncDispose]() {
      await rm(noticeFile, { force: true })
      lock.close()
    },
  }
}

/** A lock of SQLite's: the system takes it back when its holder dies, however it dies. */
async function takeLock(path: string, noticeFile: string): Promise<DatabaseSync> {
  const file = join(path, 'hub.lock')
  await (await open(file, 'a', 0o600)).close()
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (!/locked|busy/i.test(messageOf(error))) throw explainSqliteError(error, file)
    throw new HubError(
      'conflict',
      `${await describeHolder(noticeFile)} holds the data directory ${path}. Stop it, or set SIGNALBOX_HOME to another directory.`,
    )
  }
}

async function describeHolder(noticeFile: string): Promise<string> {
  try {
    const { pid, url, started_at } = JSON.parse(await readFile(noticeFile, 'utf8')) as HubNotice
    return `The hub with pid ${pid}, at ${url} since ${started_at},`
  } catch {
    return 'Another hub, which is just starting,'
  }
}

/** Whole or not at all, and for its owner only. */
async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
