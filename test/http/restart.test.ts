/** A hub that stops, is killed and starts again: the guarantees for its clients, over raw HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { shippedHub } from '../worlds/hub-process.ts'
import type { EventStream } from './event-stream.ts'
import { exchange } from './exchange.ts'
import { attachLegacy, connectLegacy, type LegacyConnection, legacyRevisions } from './legacy-connection.ts'
import { modern, modernStream } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { hello, openSsePair } from './sse-pair.ts'
import { toolsOfEvents } from './tools-of-events.ts'

const uri = (name: string) => `test://counter/${name}`

describe('SIGTERM', () => {
  test('lets running calls finish, ends the streams and exits with 0', async () => {
    await using hub = await startOwnHub()
    const connection = await connectLegacy(hub)
    using notices = await connection.listen()
    using listener = await modernStream(hub, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    using pair = await openSsePair(hub)
    await pair.post(hello)
    const running = [
      connection.post(call('test_until_stop', 'legacy')),
      modern(hub, 'tools/call', { name: 'test_until_stop', arguments: { label: 'modern' } }),
    ]
    for (const label of ['legacy', 'modern']) await hub.isRunning(label)
    const ending = hub.end('SIGTERM')

    for (const { status, text } of await Promise.all(running)) {
      expect(status).toBe(200)
      expect(text).toContain('in time')
    }
    expect(await ending).toEqual({ code: 0, signal: null })
    const ends = await Promise.all([notices.ended, listener.ended, pair.stream.ended])
    expect(ends).toEqual(['ended', 'ended', 'ended'])
    // The GET stream has a retry time, the modern one gets its answer.
    expect(notices.events.at(-1)).toEqual({ retry: expect.stringMatching(/^\d+$/) })
    expect(listener.messages.at(-1)).toMatchObject({ id: 1, result: {} })
    expect(faultsIn(hub.log())).toEqual([])
  })

  test('makes the hub answer new requests with 503 while the last call still runs', async () => {
    await using hub = await startOwnHub()
    const connection = await connectLegacy(hub)
    const streaming = connection.stream('tools/call', { ...guided('last'), _meta: { progressToken: 1 } })
    await hub.isRunning('last')
    await hub.call('test_step', { label: 'last' })
    using last = await streaming
    await last.message()
    const ending = hub.end('SIGTERM')
    const readiness = () => exchange(hub, { method: 'GET', path: '/readyz', token: null })
    await expect.poll(readiness, patience).toMatchObject({ status: 503, body: { ready: false, hub: 'stopping' } })

    const refused = [await modern(hub, 'tools/list'), await connection.post(call('hub_status', 'x'))]
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(body).toMatchObject({ error: { message: expect.stringContaining('stopping') } })
    }
    expect((await exchange(hub, { method: 'GET', path: '/healthz', token: null })).status).toBe(200)
    await hub.end('SIGKILL')
    await ending
  })

  test('ends calls that do not finish within the grace period with an error, even if their tool ignores its signal', async () => {
    await using hub = await startOwnHub({ env: { SIGNALBOX_DRAIN_GRACE_SECONDS: '0.3' } })
    const connection = await connectLegacy(hub)
    using deaf = await connection.stream('tools/call', {
      name: 'test_deaf',
      arguments: {},
      _meta: { progressToken: 1 },
    })
    const slow = modern(hub, 'tools/call', guided('slow'))
    await hub.isRunning('slow')

    expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect((await slow).body).toMatchObject({ id: 1, error: { message: expect.stringContaining('stopping') } })
    await deaf.ended
    expect(deaf.messages.at(-1)).toMatchObject({ id: 1, error: { message: expect.stringContaining('stopping') } })
  })
})

describe.each(['SIGTERM', 'SIGKILL'] as const)('after %s and a new start', (signal) => {
  const names = ['seen', 'sent-not-seen', 'nobody-listened', 'after', 'last']
  let hub: OwnHub
  let before: Before

  // One restart for all tests, each with connections of its own.
  beforeAll(async () => {
    hub = await startOwnHub()
    before = await prepare(hub)
    await hub.restart(signal)
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  interface Before {
    readonly kept: readonly LegacyConnection[]
    readonly resuming: { readonly connection: LegacyConnection; readonly seen: string | undefined }
    readonly answered: { readonly connection: LegacyConnection; readonly stream: EventStream }
    readonly ended: LegacyConnection
    readonly theirs: LegacyConnection
    readonly token: string
  }

  async function prepare(hub: OwnHub): Promise<Before> {
    const kept = await Promise.all(legacyRevisions.map((version) => connectToBeKept(hub, version)))
    const resuming = await missNotices()
    const connection = await connectLegacy(hub)
    using stream = await connection.stream('tools/call', {
      name: 'test_tool_with_progress',
      _meta: { progressToken: 1 },
    })
    await stream.ended
    const { token } = await hub.call('issue_token', { role: 'human' })
    const ended = await connectLegacy(hub)
    await ended.end()
    const theirs = await connectLegacy(hub, { token: String(token) })
    return { kept, resuming, answered: { connection, stream }, ended, theirs, token: await readToken(hub) }
  }

  async function missNotices(): Promise<Before['resuming']> {
    const connection = await connectLegacy(hub)
    for (const name of names) await connection.request('resources/subscribe', { uri: uri(name) })
    using first = await connection.listen()
    await hub.call('test_change', { uris: [uri('seen')] })
    await first.message()
    const seen = first.lastId
    await hub.call('test_change', { uris: [uri('sent-not-seen')] })
    await first.message()
    first.close()
    await until(async () => (await hub.metric('signalbox_streams')) === 0)
    await hub.call('test_change', { uris: [uri('nobody-listened')] })
    return { connection, seen }
  }

  test('connections of every revision keep their ids, subscriptions and log levels', async () => {
    for (const { id } of before.kept) await expectKept(hub, attachLegacy(hub, id))
    expect(faultsIn(hub.log())).toEqual([])
  })

  test('a GET stream resumes from Last-Event-ID without a gap or a duplicate, with the notices sent while it was closed', async () => {
    const { connection, seen } = before.resuming
    await hub.call('test_change', { uris: [uri('after')] })

    using second = await connection.listen(seen)
    await hub.call('test_change', { uris: [uri('last')] })
    await expect.poll(() => urisOf(second), patience).toContain(uri('last'))
    expect(urisOf(second).toSorted()).toEqual(names.slice(1).map(uri).toSorted())
    expect(urisOf(second)[0]).toBe(uri('sent-not-seen'))
  })

  test('an answer from before the restart can still be fetched', async () => {
    const { connection, stream } = before.answered
    using again = await connection.listen(stream.events[1]?.id)
    expect(await again.ended).toBe('ended')
    expect(again.messages).toEqual(stream.messages.slice(1))
  })

  test('a deleted connection stays deleted, and a connection still belongs to its token', async () => {
    const { ended, theirs } = before
    expect((await ended.post(call('hub_status', 'x'))).status).toBe(404)
    expect((await attachLegacy(hub, theirs.id).post(call('hub_status', 'x'))).status).toBe(404)
    expect((await theirs.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200)
  })

  test('an intact token file is not changed', async () => {
    expect(await readToken(hub)).toBe(before.token)
  })
})

test('a request that ran when the hub was killed gets an error on its resumed stream: its outcome is unknown', async () => {
  await using hub = await startOwnHub()
  const connection = await connectLegacy(hub)
  using stream = await startGuided(hub, connection, 'killed')
  await hub.restart('SIGKILL')

  for (let times = 0; times < 2; times++) {
    using again = await connection.listen(stream.lastId)
    expect(await again.ended).toBe('ended')
    expect(again.messages).toMatchObject([{ id: 1, error: { message: expect.stringMatching(/outcome is unknown/) } }])
  }
  expect(await connection.request('ping')).toMatchObject({ result: {} })
})

describe('the data directory', () => {
  let hub: OwnHub
  beforeAll(async () => void (hub = await startOwnHub({ program: shippedHub })))
  afterAll(() => hub[Symbol.asyncDispose]())

  test('serves one hub: a second one reports the first and exits with 7', async () => {
    const second = spawn(process.execPath, [...shippedHub], {
      env: {
        PATH: process.env['PATH'],
        SIGNALBOX_HOME: hub.home,
        SIGNALBOX_PORT: '0',
        SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, [code]] = await Promise.all([second.stderr.toArray(), once(second, 'exit')])
    const words = Buffer.concat(output).toString()

    expect(code).toBe(7)
    for (const fact of [`pid ${hub.process.pid}`, hub.url, hub.home]) expect(words).toContain(fact)
    expect((await modern(hub, 'tools/list')).status).toBe(200)
  })

  test.each([
    ['deleted', (file: string) => rm(file)],
    ['overwritten', (file: string) => writeFile(file, 'sb_human_000000000000_nonsense\n')],
  ])(
    'gets a new token file, readable by its owner only, after the old file was %s, and the old token stays valid',
    async (_, spoil) => {
      const old = await readToken(hub)
      await spoil(tokenFile(hub))
      await hub.restart('SIGTERM')

      const token = await readToken(hub)
      expect([old, hub.token]).not.toContain(token)
      expect((await stat(tokenFile(hub))).mode & 0o777).toBe(0o600)
      expect((await modern(hub, 'tools/list', {}, { token })).status).toBe(200)
      expect((await modern(hub, 'tools/list', {}, { token: old })).status).toBe(200)
      expect((await modern(hub, 'tools/list')).status).toBe(200)
    },
  )
})

function tokenFile({ home }: OwnHub): string {
  return join(home, 'token')
}

async function readToken(hub: OwnHub): Promise<string> {
  return (await readFile(tokenFile(hub), 'utf8')).trim()
}

async function connectToBeKept(hub: OwnHub, version: string): Promise<LegacyConnection> {
  const connection = await connectLegacy(hub, { version, query: '?toolsets=events' })
  await connection.request('resources/subscribe', { uri: uri('kept') })
  await connection.request('resources/subscribe', { uri: uri('dropped') })
  await connection.request('resources/unsubscribe', { uri: uri('dropped') })
  await connection.request('logging/setLevel', { level: 'emergency' })
  return connection
}

async function expectKept(hub: OwnHub, again: LegacyConnection): Promise<void> {
  expect(toolNames(await again.request('tools/list'))).toEqual(toolsOfEvents)
  const logged = await again.post(call('test_tool_with_logging', 'x'))
  expect(logged.headers['content-type']).toBe('application/json')
  using notices = await again.listen()
  await hub.call('test_change', { uris: [uri('dropped'), uri('kept')] })
  expect(await notices.message()).toMatchObject({ params: { uri: uri('kept') } })
  expect((await again.end()).status).toBe(204)
}

function guided(label: string): { name: string; arguments: { label: string } } {
  return { name: 'test_guided', arguments: { label } }
}

function call(name: string, label: string): object {
  const args = name === 'test_until_stop' || name === 'test_guided' ? { label } : {}
  return { jsonrpc: '2.0', id: label, method: 'tools/call', params: { name, arguments: args } }
}

/** A call whose stream has begun. */
async function startGuided(hub: OwnHub, connection: LegacyConnection, label: string): Promise<EventStream> {
  const streaming = connection.stream('tools/call', { ...guided(label), _meta: { progressToken: 1 } })
  await hub.isRunning(label)
  await hub.call('test_step', { label })
  const stream = await streaming
  await stream.message()
  return stream
}

function toolNames(response: unknown): readonly string[] {
  return (response as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}

function urisOf({ messages }: EventStream): readonly string[] {
  return messages.map((message) => (message as { params: { uri: string } }).params.uri)
}
