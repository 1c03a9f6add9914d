import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { maxSocketPathBytes, socketPlaces } from '../base/socket-places.ts'
import { defineTool, type Provider } from '../mcp/mcp.ts'
import { openLines } from '../../test/harness/line-client.ts'
import { modernMeta } from '../../test/harness/modern-call.ts'
import { openTestSocket, startSocketHub } from '../../test/worlds/socket-hub.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'

const patience = { timeout: 60_000, interval: 5 }

test('only its owner may open the socket and list its directory', async () => {
  await using hub = await startSocketHub()
  const { path } = await hub.open('private')
  expect(path).toBe(join(hub.home, 'run', 'signalbox-mcp-private.sock'))
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect(lstatSync(join(hub.home, 'run')).mode & 0o777).toBe(0o700)
})

test('the socket is in XDG_RUNTIME_DIR if there is one, and otherwise in the data directory', async () => {
  const runtimeDirectory = temporaryDirectory()
  await using hub = await startSocketHub({ places: (home) => socketPlaces({ home, runtimeDirectory }) })
  expect((await hub.open('there')).path).toBe(join(runtimeDirectory, 'signalbox-mcp-there.sock'))

  for (const missing of [undefined, '', 'relative', join(runtimeDirectory, 'missing')]) {
    await using other = await startSocketHub({ places: (home) => socketPlaces({ home, runtimeDirectory: missing }) })
    expect((await other.open('here')).path).toBe(join(other.home, 'run', 'signalbox-mcp-here.sock'))
  }
})

test('a path that is too long for the kernel is replaced by a short one, or is an error if there is none', async () => {
  const long = join(temporaryDirectory(), 'x'.repeat(90))
  const short = temporaryDirectory()
  const places = [long, short].map((directory) => ({ directory, isOwn: true }))
  await using hub = await startSocketHub({ places: () => places })
  const { path } = await hub.open('build')
  expect(path).toBe(join(short, 'signalbox-mcp-build.sock'))
  await using client = await openLines(path)
  expect(await client.request('tools/list')).toHaveProperty('result')

  await using narrow = await startSocketHub({ places: () => places.slice(0, 1) })
  await expect(narrow.open('build')).rejects.toThrow(`longer than ${maxSocketPathBytes} bytes`)
})

test('a directory that others can write to is made private, and one that is not ours is not used', async () => {
  const open = temporaryDirectory()
  chmodSync(open, 0o777)
  const link = join(temporaryDirectory(), 'link')
  symlinkSync('/tmp', link)
  const places = [link, open].map((directory) => ({ directory, isOwn: true }))
  await using hub = await startSocketHub({ places: () => places })
  expect((await hub.open('build')).path).toBe(join(open, 'signalbox-mcp-build.sock'))
  expect(lstatSync(open).mode & 0o777).toBe(0o700)
})

test.each(['../escape', 'a/b', '', '.hidden', 'x'.repeat(65), 'with space'])('%j is not a valid name', async (name) => {
  await using hub = await startSocketHub()
  await expect(hub.open(name)).rejects.toMatchObject({ code: 'invalid' })
})

test('a name is taken while any hub listens on it, and free again afterwards', async () => {
  const directory = temporaryDirectory()
  const places = () => [{ directory, isOwn: true }]
  await using one = await startSocketHub({ places })
  await using other = await startSocketHub({ places })
  const first = await one.open('build')
  await expect(one.open('build')).rejects.toMatchObject({ code: 'conflict' })
  await expect(other.open('build')).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching('taken') })
  await using client = await openLines(first.path)
  expect(await client.request('tools/list')).toHaveProperty('result')

  await first.close()
  await client.ended
  expect(existsSync(first.path)).toBe(false)
  const second = await one.open('build')
  await first.close()
  await expect(one.open('build')).rejects.toMatchObject({ code: 'conflict' })
  await second.close()
  await expect(other.open('build')).resolves.toMatchObject({ path: first.path })
})

test('when two sockets want the same name at once, one gets it', async () => {
  await using hub = await startSocketHub()
  const outcomes = await Promise.allSettled([hub.open('build'), hub.open('build')])
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: expect.objectContaining({ name: 'build' }) },
    { status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) },
  ])
})

test('a socket that a killed process left behind is replaced', async () => {
  await using hub = await startSocketHub()
  const path = join(hub.home, 'run', 'signalbox-mcp-build.sock')
  mkdirSync(join(hub.home, 'run'))
  const listen = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('ready'))`
  const other = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  await expect(hub.open('build')).rejects.toMatchObject({ code: 'conflict' })
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(lstatSync(path).isSocket()).toBe(true)

  await hub.open('build')
  await using client = await openLines(path)
  expect(await client.request('tools/list')).toHaveProperty('result')
})

test('a file that is not a socket is left alone', async () => {
  await using hub = await startSocketHub()
  mkdirSync(join(hub.home, 'run'))
  const path = join(hub.home, 'run', 'signalbox-mcp-build.sock')
  writeFileSync(path, 'mine')
  await expect(hub.open('build')).rejects.toMatchObject({ code: 'conflict' })
  expect(lstatSync(path).isFile()).toBe(true)
})

test('many clients at once see all tools, and none gets the messages of another', async () => {
  await using session = await openTestSocket()
  await using stack = new AsyncDisposableStack()
  const clients = await Promise.all(Array.from({ length: 20 }, async () => stack.use(await openLines(session.path))))
  const answers = await Promise.all(clients.map((client) => client.request('tools/list')))
  for (const answer of answers) expect(JSON.stringify(answer)).toContain('"test_guided"')
  for (const { messages } of clients) expect(messages).toHaveLength(1)
})

test('a connection over the limit is refused with an error', async () => {
  await using session = await openTestSocket('few', { maxConnectionsPerToken: 2 })
  await using _second = await openLines(session.path)
  await using third = await openLines(session.path)
  await third.ended
  expect(third.messages).toMatchObject([{ id: null, error: { code: -32005 } }])
})

test('a line that is too long is refused and ends the connection', async () => {
  await using session = await openTestSocket('short', { maxLineBytes: 10_000 })
  await using client = await openLines(session.path)
  const call = (text: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { text, _meta: modernMeta },
  })
  client.send(call('x'.repeat(9_000)))
  expect(await client.answer(1)).toHaveProperty('result')
  client.send(call('x'.repeat(500_000)))
  await client.ended
  expect(client.messages.at(-1)).toMatchObject({ id: null, error: { message: expect.stringMatching('10000 bytes') } })
})

test('a line that arrives byte by byte, and a last line without a line ending, are accepted', async () => {
  await using session = await openTestSocket()
  await using client = await openLines(session.path)
  const line = JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'tools/list', params: { _meta: modernMeta } })
  for (const byte of Buffer.from(`${line}\r\n`)) client.socket.write(Buffer.of(byte))
  expect(await client.answer('ü')).toHaveProperty('result')
  client.socket.end(line.replace('ü', 'last'))
  expect(await client.answer('last')).toHaveProperty('result')
  await client.ended
})

test('a client that closed its sending side still gets its answers, but an endless call does not keep the connection open', async () => {
  await using session = await openTestSocket()
  await using client = await openLines(session.path)
  const call = (id: string, name: string, args = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: modernMeta },
  })
  client.send(call('long', 'test_guided', { label: 'endless' }), call('short', 'hub_status'))
  client.socket.end()
  expect(await client.answer('short')).toHaveProperty('result')
  await client.ended
  const cancelled = { cancelled: ['endless'] }
  await expect.poll(() => session.call('test_calls'), patience).toMatchObject(cancelled)
})

test('the hub does not read from a client that does not read, so pending answers stay few', async () => {
  const answers = createCountedAnswers()
  await using session = await openTestSocket('slow', { providers: [answers.provider] })
  await using client = await openLines(session.path)
  client.socket.pause()
  const request = { method: 'tools/call', params: { name: 'test_large', arguments: {}, _meta: modernMeta } }
  const total = 2_000
  for (let id = 0; id < total; id++) client.send({ jsonrpc: '2.0', id, ...request })

  // The hub has stopped when another client's requests are answered and the count stays where it is.
  let seen = -1
  await expect
    .poll(async () => {
      const before = seen
      seen = answers.count()
      await session.call('hub_status')
      return seen > 0 && seen === before
    }, patience)
    .toBe(true)
  expect(answers.count()).toBeLessThan(total / 2)

  client.socket.resume()
  await expect.poll(() => client.messages.length, patience).toBe(total)
  expect(session.hub.faults()).toEqual([])
})

/** A tool with large answers that counts its calls. */
function createCountedAnswers(): { readonly provider: Provider; count(): number } {
  let count = 0
  const large = defineTool({
    name: 'test_large',
    description: 'Answers with a long text.',
    input: z.strictObject({}),
    output: z.object({ text: z.string() }),
    annotations: { readOnlyHint: true },
    async run() {
      count++
      return { text: 'x'.repeat(5_000) }
    },
  })
  return { provider: { toolset: 'probes', tools: () => [large] }, count: () => count }
}

test('a closing hub does not wait for a client that never reads', async () => {
  const hub = await startSocketHub()
  const { path } = await hub.open('deaf')
  const client = await openLines(path)
  onTestFinished(() => client[Symbol.asyncDispose]())
  client.socket.pause()
  for (let id = 0; id < 100; id++)
    client.send({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: modernMeta } })
  await expect.poll(() => client.socket.bytesRead, patience).toBeGreaterThan(0)
  await hub[Symbol.asyncDispose]()
  expect(existsSync(path)).toBe(false)
})
