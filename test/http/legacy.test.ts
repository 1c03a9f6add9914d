/** The legacy revisions over raw HTTP: initialize, methods, statuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from './exchange.ts'
import { attachLegacy, connectLegacy, initialize, legacyRevisions, newestLegacy } from './legacy-connection.ts'
import { faultsIn, type OwnHub, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('initialize', () => {
  test.each(legacyRevisions)('for %s is answered with that revision and an id of visible ASCII', async (version) => {
    const { status, headers, body } = await initialize(hub, { version })

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{16,}$/)
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 'hello',
      result: {
        protocolVersion: version,
        serverInfo: { name: 'signalbox', version: expect.any(String) },
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      },
    })
  })

  test.each(['1999-01-01', '2026-07-28', '2099-12-31', 'nonsense', ''])(
    'for an unknown or modern revision ("%s") is answered with the newest legacy one',
    async (version) => {
      expect((await initialize(hub, { version })).body).toMatchObject({ result: { protocolVersion: newestLegacy } })
    },
  )

  test.each([
    ['no params', undefined],
    ['no protocolVersion', { capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
    ['a number for protocolVersion', { protocolVersion: 5, capabilities: {} }],
    ['an array for capabilities', { protocolVersion: newestLegacy, capabilities: [] }],
  ])('with %s is refused and opens no connection', async (_, params) => {
    const { status, headers, body } = await exchange(hub, {
      body: { jsonrpc: '2.0', id: 7, method: 'initialize', params },
    })

    expect(status).toBe(400)
    expect(headers['mcp-session-id']).toBeUndefined()
    expect(body).toMatchObject({ id: 7, error: { code: -32602 } })
  })

  test('gives every connection a different id', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await connectLegacy(hub)).id))
    expect(new Set(ids).size).toBe(10)
  })
})

describe('POST, GET and DELETE', () => {
  test('without a connection id are answered with 400 and an error that says what to do', async () => {
    const answers = await Promise.all([
      exchange(hub, { body: list }),
      exchange(hub, { method: 'GET' }),
      exchange(hub, { method: 'DELETE' }),
      exchange(hub, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    for (const { body } of answers) {
      expect(body).toMatchObject({ error: { message: expect.stringMatching(/Mcp-Session-Id.*initialize/) } })
    }
  })

  test('with an unknown connection id are answered with 404', async () => {
    const stranger = attachLegacy(hub, 'never-issued')
    const get = await stranger.listen()
    const answers = [await stranger.post(list), await stranger.end()]
    expect([get.status, ...answers.map(({ status }) => status)]).toEqual([404, 404, 404])
    expect(answers[0]?.body).toMatchObject({ id: 1, error: { message: expect.stringContaining('initialize') } })
  })

  test('with a connection id of another token are answered with 404, and its owner notices nothing', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const mine = await connectLegacy(hub)
    const thief = attachLegacy(hub, mine.id, { token: String(token) })
    const unknown = attachLegacy(hub, 'never-issued', { token: String(token) })

    const stolen = await thief.post(list)
    expect(stolen.status).toBe(404)
    expect(stolen.text).toBe((await unknown.post(list)).text)
    expect((await thief.listen()).status).toBe(404)
    expect((await thief.end()).status).toBe(404)
    expect(await mine.request('ping')).toMatchObject({ result: {} })
  })

  test('are answered with 404 after the connection was deleted', async () => {
    const connection = await connectLegacy(hub)
    expect((await connection.end()).status).toBe(204)
    expect((await connection.post(list)).status).toBe(404)
    expect((await connection.listen()).status).toBe(404)
    expect((await connection.end()).status).toBe(404)
  })
})

describe.each(legacyRevisions)('%s', (version) => {
  test('the hub answers common requests with one JSON body each', async () => {
    const connection = await connectLegacy(hub, { version })
    const argument = { name: 'arg1', value: 'testi' }
    const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' }
    const expected = [
      ['ping', undefined, {}],
      ['logging/setLevel', { level: 'debug' }, {}],
      ['completion/complete', { ref: prompt, argument }, { completion: { values: ['testing'], hasMore: false } }],
      ['tools/list', undefined, { tools: expect.arrayContaining([expect.objectContaining({ name: 'hub_status' })]) }],
      ['resources/list', undefined, { resources: expect.any(Array) }],
      ['resources/templates/list', undefined, { resourceTemplates: expect.any(Array) }],
      ['resources/listTemplates', undefined, { resourceTemplates: expect.any(Array) }],
      ['prompts/list', undefined, { prompts: expect.any(Array) }],
      ['resources/read', { uri: 'test://static-text' }, { contents: [{ uri: 'test://static-text' }] }],
      ['prompts/get', { name: 'test_simple_prompt' }, { messages: [{ role: 'user' }] }],
      ['tools/call', { name: 'hub_status', arguments: {} }, { structuredContent: { name: 'signalbox' } }],
    ] as const
    for (const [method, params, result] of expected) {
      const id = `id of ${method}`
      const { status, headers, body } = await connection.post({ jsonrpc: '2.0', id, method, params })
      expect([method, status, headers['content-type']]).toEqual([method, 200, 'application/json'])
      expect(body, method).toMatchObject({ jsonrpc: '2.0', id, result })
    }
  })

  test('the hub answers notifications and unexpected responses with 202 and no body', async () => {
    const connection = await connectLegacy(hub, { version })
    const messages = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'never-sent' } },
      { jsonrpc: '2.0', method: 'notifications/unknown', params: {} },
      { jsonrpc: '2.0', id: 'never-asked', result: {} },
      { jsonrpc: '2.0', id: 99, error: { code: -1, message: 'no' } },
    ]
    for (const message of messages) {
      const { status, text } = await connection.post(message)
      expect([status, text]).toEqual([202, ''])
    }
  })

  test('the hub accepts a batch only if the revision has batches', async () => {
    const connection = await connectLegacy(hub, { version })
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const ping = { jsonrpc: '2.0', id: 'a', method: 'ping' }
    const unknown = { jsonrpc: '2.0', id: 'b', method: 'no/such' }
    const { status, body } = await connection.post([ping, notification, unknown])

    if (version === '2025-03-26') {
      expect(status).toBe(200)
      expect(body).toEqual([
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: expect.any(String) } },
      ])
      expect((await connection.post([notification, notification])).status).toBe(202)
    } else {
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: { code: -32600, message: expect.stringMatching(/batch/i) } })
    }
    expect((await connection.post([])).status).toBe(400)
    expect(await connection.request('ping')).toMatchObject({ result: {} })
  })
})

describe('a wrong request', () => {
  test.each([
    ['no/such/method', undefined, -32601],
    ['server/discover', undefined, -32601],
    ['tools/call', { name: 'no_such_tool' }, -32602],
    ['tools/call', {}, -32602],
    ['tools/call', { name: 'hub_status', arguments: 'none' }, -32602],
    ['resources/read', { uri: 'test://no-such-thing' }, -32602],
    ['resources/subscribe', { uri: 'test://no-such-thing' }, -32602],
    ['prompts/get', { name: 'no_such_prompt' }, -32602],
    ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'one' } }, -32602],
    ['logging/setLevel', { level: 'loud' }, -32602],
    ['completion/complete', { ref: { type: 'ref/else' } }, -32602],
    ['tools/list', { cursor: 'made-up' }, -32602],
  ])('%s %j is answered with status 200 and the error %i', async (method, params, code) => {
    const connection = await connectLegacy(hub)
    const { status, body } = await connection.post({ jsonrpc: '2.0', id: 1, method, params })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: 1, error: { code, message: expect.any(String) } })
  })

  test('with wrong arguments gets a tool error that a model can read', async () => {
    const connection = await connectLegacy(hub)
    const wrong = await connection.request('tools/call', { name: 'revoke_token', arguments: { ident: 1 } })
    expect(wrong).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(/"ident".*\bid\b/s) }] },
    })
  })

  test('for a name that every JavaScript object has finds nothing', async () => {
    const connection = await connectLegacy(hub)
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' }
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(await connection.request(name)).toMatchObject({ error: { code: -32601 } })
      expect(await connection.request('tools/call', { name })).toMatchObject({ error: { code: -32602 } })
      const completed = await connection.request('completion/complete', { ref, argument: { name, value: 'x' } })
      expect(completed, name).toMatchObject({ result: { completion: { values: [] } } })
    }
  })

  test('with the id of a running request is refused, and the running request continues', async () => {
    const connection = await connectLegacy(hub)
    const params = { name: 'test_guided', arguments: { label: 'same id' } }
    const first = connection.post({ jsonrpc: '2.0', id: 'same', method: 'tools/call', params })
    await hub.isRunning('same id')

    const second = await connection.post({ jsonrpc: '2.0', id: 'same', method: 'ping' })
    expect(second.body).toMatchObject({ id: 'same', error: { code: -32600 } })
    await hub.call('test_finish', { label: 'same id', words: 'first' })
    expect((await first).text).toContain('first')
  })
})

describe('HTTP', () => {
  test('a body that is not declared as JSON is refused with 415', async () => {
    const connection = await connectLegacy(hub)
    for (const type of [undefined, 'text/plain', 'application/jsonx', 'application/x-www-form-urlencoded']) {
      const { status, body } = await connection.post(list, { 'content-type': type })
      expect([type, status]).toEqual([type, 415])
      expect(body).toMatchObject({ error: { message: expect.stringContaining('application/json') } })
    }
    expect((await connection.post(list, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200)
  })

  test('a client that accepts neither JSON nor a stream is refused with 406', async () => {
    const connection = await connectLegacy(hub)
    const post = await connection.post(list, { accept: 'text/html' })
    const get = await exchange(hub, {
      method: 'GET',
      headers: { 'mcp-session-id': connection.id, accept: 'application/json' },
    })
    expect([post.status, get.status]).toEqual([406, 406])
    expect(get.body).toMatchObject({ error: { message: expect.stringContaining('text/event-stream') } })
  })

  test('MCP-Protocol-Version may name any revision that the hub speaks, and no other', async () => {
    const connection = await connectLegacy(hub, { version: '2025-06-18' })
    for (const version of legacyRevisions) {
      expect((await connection.post(list, { 'mcp-protocol-version': version })).status).toBe(200)
    }
    const { status, body } = await connection.post(list, { 'mcp-protocol-version': '2042-01-01' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { message: expect.stringContaining('2042-01-01') } })
  })

  test('an unsupported HTTP method is answered with 405 and the supported ones', async () => {
    for (const method of ['PUT', 'PATCH', 'HEAD']) {
      const { status, headers } = await exchange(hub, { method })
      expect([method, status]).toEqual([method, 405])
      expect(headers.allow).toBe('GET, POST, DELETE')
    }
  })
})
