/** The data directory: only its owner may enter it, and only one hub at a time may use it. */
import { randomBytes } from 'node:crypto'
import { chmod, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError, messageOf } from './hub-error.ts'
import { makeDirectory } from './make-directory.ts'
import { systemReason } from './system-reason.ts'
import { explainSqliteError } from './sqlite-file.ts'

export interface DataDirectory extends AsyncDisposable {
  readonly path: string
  /** Whether no earlier hub has left its key, and with it its id, in this directory. */
  readonly isNew: boolean
  readonly tokenFile: string
  readonly eventsFile: string
  /** Writes `hub.json`, so that the CLI and a second hub can find this one. */
  announce(hub: HubAddress): Promise<void>
  /** A secret of this installation. It outlives the hub process. */
  key(name: string): Promise<Buffer>
}

export interface HubAddress {
  readonly url: string
  readonly repository_url?: string | undefined
  readonly pid: number
  readonly version: string
  readonly started_at: string
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  let isNew: boolean
  try {
    makeDirectory(path, 0o700)
    if (!(await isPrivate(path))) {
      await assertOurs(path)
      await chmod(path, 0o700)
    }
    isNew = !(await readdir(path)).includes('hub.key')
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError(
      'unavailable',
      `The hub cannot use the data directory ${path}: ${systemReason(error)}. Set SIGNALBOX_HOME to another directory.`,
      { cause: error },
    )
  }
  const addressFile = join(path, 'hub.json')
  const lock = await lockDataDirectory(path)
  return {
    path,
    isNew,
    tokenFile: join(path, 'token'),
    eventsFile: join(path, 'events.db'),
    announce: (address) => replaceFile(addressFile, `${JSON.stringify(address)}\n`),
    async key(name) {
      const file = join(path, `${name}.key`)
      const existing = await readIfThere(file)
      if (existing) return checked(existing, file)
      const key = randomBytes(keyBytes)
      await replaceFile(file, key)
      return key
    },
    async [Symbol.asyncDispose]() {
      await rm(addressFile, { force: true })
      lock[Symbol.dispose]()
    },
  }
}

const keyBytes = 32

/** Does not replace a broken key: with a new key the hub would not recognize its own running sessions. */
function checked(key: Buffer, file: string): Buffer {
  if (key.length === keyBytes) return key
  throw new HubError(
    'invalid',
    `${file} has ${key.length} bytes, but must have ${keyBytes}. Restore it, or delete it to get a new key.`,
  )
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new HubError(
      'unavailable',
      `The hub cannot read ${file}: ${systemReason(error)}. Fix that and start again.`,
      {
        cause: error,
      },
    )
  }
}

async function isPrivate(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  return (mode & 0o777) === 0o700
}

/** `--home ~/projects` is a mistake. Changing the mode of that directory would be a second one. */
async function assertOurs(path: string): Promise<void> {
  if (isDataDirectory(await readdir(path))) return
  throw new HubError(
    'invalid',
    `${path} holds files that are not Signalbox's, and other users can read it. The hub has not changed it. ` +
      `Set SIGNALBOX_HOME (or --home) to a new directory, or run "chmod 700 '${path}'" to use this one.`,
  )
}

/** Whether a directory with these files is, or may become, a data directory. */
export function isDataDirectory(files: readonly string[]): boolean {
  return files.some((file) => marks.has(file)) || files.every((file) => brought.has(file))
}

/** Files that show that a hub has run here. */
const marks = new Set(['hub.db', 'hub.key', 'hub.lock'])
/** Files that people put into a data directory before the first start. */
const brought = new Set(['config.yaml', 'state.key', 'templates'])

/** Keeps hubs out. A SQLite lock: the system releases it when its owner dies, however it dies. */
export async function lockDataDirectory(path: string): Promise<Disposable> {
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
      `${await describeOwner(join(path, 'hub.json'))} holds the data directory ${path}. Stop it, or set SIGNALBOX_HOME to another directory.`,
    )
  }
}

async function describeOwner(addressFile: string): Promise<string> {
  try {
    const { pid, url, started_at } = JSON.parse(await readFile(addressFile, 'utf8')) as HubAddress
    return `The hub with pid ${pid}, at ${url} since ${started_at},`
  } catch {
    return 'Another hub, which is just starting,'
  }
}

/** Replaces the file atomically. Only its owner may read it. */
async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
}
