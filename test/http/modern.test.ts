/** 2026-07-28 over raw HTTP: discovery, header checks, error codes with their statuses, cache hints. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from './exchange.ts'
import { modern, modernStream, modernSpec } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe('results', () => {
  test('server/discover lists versions, capabilities and the server’s name', async () => {
    const { status, headers, body } = await modern(hub, 'server/discover')
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('mcp-session-id')
    expect(body).toMatchObject({
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: expect.arrayContaining(['2026-07-28']),
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions: expect.any(String),
        ttlMs: expect.any(Number),
        cacheScope: expect.stringMatching(/^(public|private)$/),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'signalbox', version: expect.any(String) } },
      },
    })
  })

  test.each([
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/listTemplates', {}],
    ['resources/read', { uri: 'test://static-text' }],
  ])('%s is complete and may be cached privately for a given time', async (method, params) => {
    const { status, body } = await modern(hub, method, params)
    expect(status).toBe(200)
    const { ttlMs } = (body as { result: { ttlMs: number } }).result
    expect(body).toMatchObject({ result: { resultType: 'complete', cacheScope: 'private' } })
    expect(Number.isInteger(ttlMs) && ttlMs >= 0).toBe(true)
  })

  test.each([
    ['tools/call', { name: 'hub_status', arguments: {} }],
    ['prompts/get', { name: 'test_simple_prompt' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'no-such' }, argument: { name: 'x', value: '' } }],
  ])('%s is complete and has no cache hints', async (method, params) => {
    const { status, body } = await modern(hub, method, params)
    expect(status).toBe(200)
    expect(body).toMatchObject({ result: { resultType: 'complete' } })
    expect((body as { result: object }).result).not.toHaveProperty('ttlMs')
  })

  test('the list of tools has the same order every time', async () => {
    const lists = await Promise.all(
      Array.from({ length: 5 }, () => modern(hub, 'tools/list', {}, { query: '?toolsets=all' })),
    )
    expect(new Set(lists.map(({ text }) => text)).size).toBe(1)
  })

  test('a client need not send its name', async () => {
    const { status } = await modern(hub, 'tools/list', {}, { meta: { [clientInfoKey]: undefined } })
    expect(status).toBe(200)
  })

  test('a notification is answered with 202', async () => {
    const { status, text } = await exchange(hub, {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/cancelled' },
      body: {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, _meta: { [versionKey]: '2026-07-28' } },
      },
    })
    expect([status, text]).toEqual([202, ''])
  })
})

describe('a wrong request gets the error of the revision', () => {
  const status = { name: 'hub_status', arguments: {} }
  test.each([
    ['Mcp-Method is missing', 'tools/list', {}, { headers: { 'mcp-method': undefined } }, -32020],
    ['Mcp-Method differs from the body', 'tools/list', {}, { headers: { 'mcp-method': 'prompts/list' } }, -32020],
    ['Mcp-Method is in capitals', 'tools/list', {}, { headers: { 'mcp-method': 'TOOLS/LIST' } }, -32020],
    ['Mcp-Name is missing', 'tools/call', status, { headers: { 'mcp-name': undefined } }, -32020],
    ['Mcp-Name differs from the body', 'tools/call', status, { headers: { 'mcp-name': 'revoke_token' } }, -32020],
    ['Mcp-Name is not base64', 'tools/call', status, { headers: { 'mcp-name': '=?base64?%%%?=' } }, -32020],
    ['the version header is missing', 'tools/list', {}, { headers: { 'mcp-protocol-version': undefined } }, -32020],
    [
      'the version header differs from the body',
      'tools/list',
      {},
      { headers: { 'mcp-protocol-version': '2025-11-25' } },
      -32020,
    ],
    ['_meta has no version', 'tools/list', {}, { meta: { [versionKey]: undefined } }, -32602],
    ['_meta has no capabilities', 'tools/list', {}, { meta: { [capabilitiesKey]: undefined } }, -32602],
    ['the capabilities are not an object', 'tools/list', {}, { meta: { [capabilitiesKey]: 'all' } }, -32602],
    [
      'the client lacks a capability',
      'tools/call',
      { name: 'test_missing_capability' },
      {},
      -32021,
      { requiredCapabilities: { sampling: {} } },
    ],
    [
      'the version is unknown',
      'tools/list',
      {},
      { meta: { [versionKey]: '2030-01-01' }, headers: { 'mcp-protocol-version': '2030-01-01' } },
      -32022,
      { supported: expect.arrayContaining(['2026-07-28']), requested: '2030-01-01' },
    ],
  ])('if %s', async (_, method, params, options, code, data?: object) => {
    const { status, body } = await modern(hub, method, params, { id: 'the id', ...options })
    expect([status, body]).toMatchObject([
      400,
      { jsonrpc: '2.0', id: 'the id', error: { code, ...(data && { data }) } },
    ])
  })

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
    'constructor',
  ])('if the method %s does not exist (404)', async (method) => {
    const { status, body } = await modern(hub, method, {}, { id: 5 })
    expect([status, body]).toMatchObject([404, { id: 5, error: { code: -32601 } }])
  })

  test('if there is no _meta at all', async () => {
    const { headers } = modernSpec('tools/list', {})
    const { status, body } = await exchange(hub, {
      ...(headers && { headers }),
      body: { jsonrpc: '2.0', id: 3, method: 'tools/list', params: {} },
    })
    expect([status, body]).toMatchObject([400, { id: 3, error: { code: -32602 } }])
  })

  test('with the address of a resource that does not exist', async () => {
    const { body } = await modern(hub, 'resources/read', { uri: 'test://nowhere' })
    expect(body).toMatchObject({ error: { code: -32602, data: { uri: 'test://nowhere' } } })
  })

  test('if a name is not a string', async () => {
    for (const name of [5, null, ['hub_status'], { toString: 1 }, { toString: null, valueOf: null }]) {
      const { status, body } = await modern(hub, 'tools/call', { name })
      expect([status, body], JSON.stringify(name)).toMatchObject([200, { error: { code: -32602 } }])
    }
    const odd = { [versionKey]: { toString: 1 } }
    expect((await modern(hub, 'tools/list', {}, { meta: odd })).status).toBe(400)
  })
})

describe('a header that repeats an argument', () => {
  const call = { name: 'test_x_mcp_header', arguments: { region: 'süd' } }
  const encoded = `=?base64?${Buffer.from('süd').toString('base64')}?=`

  test('is compared with it, encoded or not', async () => {
    const plain = { name: 'test_x_mcp_header', arguments: { region: 'north' } }
    expect(await modern(hub, 'tools/call', plain, { headers: { 'mcp-param-region': ' north ' } })).toMatchObject({
      status: 200,
    })
    expect(await modern(hub, 'tools/call', call, { headers: { 'mcp-param-region': encoded } })).toMatchObject({
      status: 200,
    })
  })

  test.each([undefined, 'north', '=?base64?bm9ydGg=?=', '=?base64?not base64?='])(
    'is refused if its value is %s',
    async (sent) => {
      const { status, body } = await modern(hub, 'tools/call', call, { headers: { 'mcp-param-region': sent } })
      expect([status, body]).toMatchObject([400, { error: { code: -32020 } }])
    },
  )
})

describe('a call', () => {
  test('reports its progress on a stream with only notifications and the answer', async () => {
    using stream = await modernStream(
      hub,
      'tools/call',
      { name: 'test_tool_with_progress' },
      { meta: { progressToken: 't' } },
    )
    expect(await stream.ended).toBe('ended')
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    expect(stream.messages).toMatchObject([
      { params: { progressToken: 't', progress: 0 } },
      { params: { progressToken: 't', progress: 50 } },
      { params: { progressToken: 't', progress: 100 } },
      { id: 1, result: { resultType: 'complete' } },
    ])
    expect(stream.events.every(({ id }) => id === undefined)).toBe(true)
  })

  test('sends log lines only if its request asked for them', async () => {
    const silent = await modern(hub, 'tools/call', { name: 'test_logging_tool' })
    expect(silent.headers['content-type']).toBe('application/json')
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
    using loud = await modernStream(hub, 'tools/call', { name: 'test_logging_tool' }, { meta })
    await loud.ended
    expect(loud.messages).toMatchObject([{ method: 'notifications/message' }, { id: 1, result: {} }])
  })

  test.each([true, false])('is cancelled when the client closes its answer (answer begun: %s)', async (hasBegun) => {
    const label = `closed ${hasBegun}`
    const call = { name: 'test_guided', arguments: { label } }
    const leave = new AbortController()
    const answer = modernStream(hub, 'tools/call', call, { meta: { progressToken: 1 }, signal: leave.signal })
    answer.catch(() => {})
    await hub.isRunning(label)
    if (hasBegun) {
      await hub.call('test_step', { label })
      await (await answer).message()
    }
    leave.abort()

    await expect
      .poll(() => hub.call('test_calls'), patience)
      .toMatchObject({ cancelled: expect.arrayContaining([label]) })
  })
})
