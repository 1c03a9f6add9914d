/** Runs the relay as a process between a client and a session's socket. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRelay } from '../../../test/worlds/relay-process.ts'
import { modernMeta } from '../../../test/harness/modern-call.ts'
import { openTestSocket, startSocketHub, type SocketHub } from '../../../test/worlds/socket-hub.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'

function modern(id: string | number, method: string, params: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta } }
}

describe('the relay', () => {
  let hub: SocketHub
  let runtime: SocketHub
  beforeAll(async () => {
    hub = await startSocketHub()
    // Two directories, as with XDG_RUNTIME_DIR. The names "older" and "newer" say when the sockets were opened.
    runtime = await startSocketHub({ places: (home) => [{ directory: home, isOwn: true }] })
    const older = await hub.open('older')
    const newer = await runtime.open('newer')
    utimesSync(older.path, 1_000, 1_000)
    utimesSync(newer.path, 2_000, 2_000)
    await leaveDeadSocket(join(runtime.home, 'signalbox-mcp-dead.sock'))
    await leaveDeadSocket(join(runtime.home, 'signalbox-mcp-older.sock'))
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await runtime[Symbol.asyncDispose]()
  })

  /** Tells which hub answers by its number of connections while the relay runs. */
  async function reached(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const places = { SIGNALBOX_HOME: hub.home, XDG_RUNTIME_DIR: runtime.home }
    await using relay = startRelay(args, { ...places, ...env })
    relay.send(modern(1, 'tools/list'))
    expect(await relay.answer(1)).toHaveProperty('result')
    const counts = [hub, runtime].map(({ endpoint }) => endpoint.counts().connections)
    relay.finish()
    expect(await relay.exit).toEqual({ code: 0, stderr: '' })
    await expect.poll(() => hub.endpoint.counts().connections + runtime.endpoint.counts().connections).toBe(0)
    return counts[0] === 1 && counts[1] === 0 ? 'older' : counts[1] === 1 && counts[0] === 0 ? 'newer' : 'none'
  }

  test('prefers the socket of --socket to the environment', async () => {
    const path = join(hub.home, 'run', 'signalbox-mcp-older.sock')
    const other = join(runtime.home, 'signalbox-mcp-newer.sock')
    expect(await reached(['--socket', path], { SIGNALBOX_MCP_SOCKET: other })).toBe('older')
  })

  test('uses the socket of --name, even if a dead one of that name is in a preferred directory', async () => {
    expect(await reached(['--name', 'older'])).toBe('older')
  })

  test('uses the socket of SIGNALBOX_MCP_SOCKET, then of SIGNALBOX_MCP_SOCKET_NAME', async () => {
    const path = join(hub.home, 'run', 'signalbox-mcp-older.sock')
    expect(await reached([], { SIGNALBOX_MCP_SOCKET: path, SIGNALBOX_MCP_SOCKET_NAME: 'newer' })).toBe('older')
    expect(await reached([], { SIGNALBOX_MCP_SOCKET_NAME: 'older' })).toBe('older')
  })

  test('uses the newest socket that answers, even if a dead one is newer', async () => {
    expect(await reached([])).toBe('newer')
    expect(await reached([], { XDG_RUNTIME_DIR: '' })).toBe('older')
  })

  test.each([
    ['no session answers there', ['--socket', '/nowhere/at/all.sock'], '/nowhere/at/all.sock'],
    ['no session has that name', ['--name', 'missing'], '"missing"'],
    ['the hub of the session is dead', ['--name', 'dead'], '"dead"'],
  ])('exits with 4 and gives advice if %s', async (_, args, mentioned) => {
    await using relay = startRelay(args, { SIGNALBOX_HOME: hub.home, XDG_RUNTIME_DIR: runtime.home })
    const { code, stderr } = await relay.exit
    expect(code).toBe(4)
    expect(stderr).toContain(mentioned)
    expect(stderr).toContain('signalbox new')
  })

  test('exits with 4 and names the directories if there is no socket', async () => {
    const empty = temporaryDirectory()
    await using relay = startRelay([], { SIGNALBOX_HOME: empty, XDG_RUNTIME_DIR: join(empty, 'x') })
    const { code, stderr } = await relay.exit
    expect(code).toBe(4)
    expect(stderr).toContain(join(empty, 'run'))
  })

  test('refuses a socket together with a hub', async () => {
    await using relay = startRelay(['--name', 'older', '--url', 'http://127.0.0.1:1/mcp'])
    expect((await relay.exit).code).toBe(2)
  })
})

/** Leaves a dead socket like a killed hub. It is newer than the living ones. */
async function leaveDeadSocket(path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true })
  const listen = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('ready'))`
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('answers requests that were sent before stdin ended, and then exits', async () => {
  await using session = await openTestSocket()
  await using relay = startRelay(['--socket', session.path])
  relay.send(modern(1, 'tools/list'), modern(2, 'tools/call', { name: 'hub_status', arguments: {} }))
  relay.finish()
  expect((await relay.exit).code).toBe(0)
  expect(relay.messages.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2]))
})

test('exits with 4 when the session ends', async () => {
  await using session = await openTestSocket()
  await using relay = startRelay(['--socket', session.path])
  relay.send(modern(1, 'tools/list'))
  await relay.answer(1)
  await session.hub.sockets[Symbol.asyncDispose]()
  const { code, stderr } = await relay.exit
  expect(code).toBe(4)
  expect(stderr).toContain('the session has ended')
})

test('forwards large messages completely', async () => {
  await using session = await openTestSocket()
  await using relay = startRelay(['--socket', session.path])
  const large = 'ü€😀'.repeat(200_000)
  relay.send(
    modern('large', 'prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: large, arg2: '' } }),
  )
  expect(JSON.stringify(await relay.answer('large')).includes(large)).toBe(true)
})
