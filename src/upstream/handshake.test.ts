import { expect, test } from 'vitest'
import type { Script } from '../../test/worlds/scripted-upstream.ts'
import { caller, http, modern, scriptedUpstream, stdio } from '../../test/worlds/scripted-upstream.ts'
import { HubError } from '../base/hub-error.ts'
import type { RpcMessage } from '../mcp/mcp.ts'
import { clientCapabilities, metaKey, modernVersion, newestLegacyVersion } from '../mcp/mcp.ts'

const methods = (sent: readonly RpcMessage[]) =>
  sent.map((message) => ('method' in message ? message.method : 'answer'))

test('a legacy upstream is initialised, and its identity is kept unchanged', async () => {
  const { upstream, line, statuses } = scriptedUpstream()
  expect(upstream.status).toEqual({ is: 'stopped' })
  expect(await upstream.ready()).toEqual({
    era: 'legacy',
    version: newestLegacyVersion,
    capabilities: expect.objectContaining({ tools: { listChanged: true } }),
    info: { name: 'books', version: '9', motto: 'kept as it came' },
  })
  const { sent, agreed } = await line()
  expect(sent).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: newestLegacyVersion,
        capabilities: { ...clientCapabilities, roots: { listChanged: true } },
        clientInfo: { name: 'signalbox', version: '1' },
      },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ])
  expect(agreed).toEqual([newestLegacyVersion])
  expect(statuses.map(({ is }) => is)).toEqual(['initializing', 'running'])
})

test.each(['2024-10-07', '2024-11-05', '2025-06-18'])(
  'accepts the revision %s when the upstream offers it',
  async (version) => {
    const { upstream, line } = scriptedUpstream({
      on(request, up) {
        if (request.method !== 'initialize') return false
        up.answer(request, { protocolVersion: version, capabilities: {}, serverInfo: { name: 'old', version: '1' } })
        return true
      },
    })
    expect(await upstream.ready()).toMatchObject({ era: 'legacy', version })
    expect((await line()).agreed).toEqual([version])
  },
)

test.each([
  ['instructions', { instructions: 'x'.repeat(5 * 1024 * 1024) }],
  ['capabilities', { capabilities: { list: Array.from({ length: 90_000 }, () => ({})) } }],
])('refuses an upstream with %s that would fill the hub', async (_, more) => {
  const { upstream } = scriptedUpstream({
    on(request, up) {
      if (request.method !== 'initialize') return false
      const serverInfo = { name: 'large', version: '1' }
      up.answer(request, { protocolVersion: newestLegacyVersion, capabilities: {}, serverInfo, ...more })
      return true
    },
  })
  await expect(upstream.ready()).rejects.toThrow('more than 4194304 bytes')
})

test.each([modernVersion, 'soon', 7])('refuses an initialize that is answered with %s', async (protocolVersion) => {
  const { upstream } = scriptedUpstream({
    target: { strict: false },
    on(request, up) {
      if (request.method === 'initialize') up.answer(request, { protocolVersion, capabilities: {}, serverInfo: {} })
      else if (request.method === 'server/discover') up.refuse(request, -32601, 'Method not found')
      return true
    },
  })
  await expect(upstream.ready()).rejects.toThrow(`the revision ${JSON.stringify(protocolVersion)}`)
})

test('the first request to a modern upstream over HTTP is server/discover with the headers of its revision', async () => {
  const { upstream, line } = scriptedUpstream({ target: { reach: http }, on: modern })
  expect(await upstream.ready()).toMatchObject({ era: 'modern', version: modernVersion, info: { name: 'books' } })
  const { sent, agreed, headersOf } = await line()
  expect(sent[0]).toMatchObject({
    method: 'server/discover',
    params: {
      _meta: {
        [metaKey.protocolVersion]: modernVersion,
        [metaKey.clientInfo]: { name: 'signalbox', version: '1' },
        [metaKey.clientCapabilities]: clientCapabilities,
      },
    },
  })
  expect(headersOf(1)).toEqual({ 'MCP-Protocol-Version': modernVersion, 'Mcp-Method': 'server/discover' })
  expect(agreed).toEqual([modernVersion])
  expect(methods(sent)).not.toContain('notifications/initialized')
})

test.each([-32601, -32602, -32600, -32000, -32022])(
  'an HTTP upstream that answers %s to server/discover is initialised',
  async (code) => {
    const { upstream, line } = scriptedUpstream({
      target: { reach: http },
      on(request, up) {
        if (request.method !== 'server/discover') return false
        up.refuse(request, code, 'What?')
        return true
      },
    })
    expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
    const { sent, headersOf } = await line()
    expect(methods(sent)).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
    expect(headersOf(2)).toBeUndefined()
  },
)

test.each([{}, { supportedVersions: 'all' }, { supportedVersions: ['2030-01-01'] }])(
  'an HTTP upstream that answers %o to server/discover is initialised',
  async (result) => {
    const { upstream } = scriptedUpstream({
      target: { reach: http, strict: false },
      on(request, up) {
        if (request.method !== 'server/discover') return false
        up.answer(request, result)
        return true
      },
    })
    expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
  },
)

test.each([400, 404, 405, 500])(
  'an HTTP upstream that answers status %s to server/discover is initialised',
  async (status) => {
    const { upstream } = scriptedUpstream({ target: { reach: http }, onSend: refuseWith(status, 'server/discover') })
    expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
  },
)

test.each([400, 404, 405])(
  'an upstream that is tried the legacy way first and answers status %s is asked with server/discover',
  async (status) => {
    const { upstream } = scriptedUpstream({
      target: { reach: http, preferredEra: 'legacy' },
      on: modern,
      onSend: refuseWith(status, 'initialize'),
    })
    expect(await upstream.ready()).toMatchObject({ era: 'modern' })
  },
)

/** A refusal by HTTP status alone: no JSON-RPC in the body. */
function refuseWith(status: number, method: string): NonNullable<Script['onSend']> {
  return (message) =>
    'method' in message && message.method === method
      ? new HubError('unavailable', `It answered ${status}.`, { data: { status } })
      : undefined
}

test('a stdio upstream that answers initialize with the modern revision is asked with server/discover', async () => {
  const { upstream } = scriptedUpstream({
    on(request, up) {
      if (request.method !== 'initialize') return modern(request, up)
      up.answer(request, { protocolVersion: modernVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } })
      return true
    },
  })
  expect(await upstream.ready()).toMatchObject({ era: 'modern' })
})

test('an HTTP upstream that refuses the revision it claims to speak is asked once more', async () => {
  let refusals = 1
  const { upstream, line } = scriptedUpstream({
    target: { reach: http },
    on(request, up) {
      if (request.method !== 'server/discover' || refusals-- <= 0) return modern(request, up)
      up.refuse(request, -32022, 'Unsupported protocol version', { supported: [modernVersion] })
      return true
    },
  })
  expect(await upstream.ready()).toMatchObject({ era: 'modern' })
  expect(methods((await line()).sent).slice(0, 2)).toEqual(['server/discover', 'server/discover'])
})

test('an HTTP upstream that does not answer server/discover is initialised within the same time limit', async () => {
  const { upstream } = scriptedUpstream({
    target: { reach: http, handshakeMs: 400 },
    on: ({ method }) => method === 'server/discover',
  })
  expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
})

test.each([-32601, -32022, -32602])(
  'a stdio upstream that answers %s to initialize is asked with server/discover, in the same process',
  async (code) => {
    const { upstream, lines } = scriptedUpstream({
      on(request, up) {
        if (request.method !== 'initialize') return modern(request, up)
        up.refuse(request, code, 'What?')
        return true
      },
    })
    expect(await upstream.ready()).toMatchObject({ era: 'modern' })
    expect(lines).toHaveLength(1)
    expect(lines[0]!.headersOf(2)).toBeUndefined()
  },
)

test('an upstream configured for one era is not asked in the other', async () => {
  const refuse: Script['on'] = (request, up) => {
    up.refuse(request, -32601, 'Method not found')
    return true
  }
  const asLegacy = scriptedUpstream({ target: { era: 'legacy', reach: http }, on: refuse })
  await expect(asLegacy.upstream.ready()).rejects.toThrow('Method not found')
  expect(methods(asLegacy.lines[0]!.sent)).toEqual(['initialize'])
  const asModern = scriptedUpstream({ target: { era: 'modern', reach: stdio }, on: refuse })
  await expect(asModern.upstream.ready()).rejects.toThrow('Method not found')
  expect(methods(asModern.lines[0]!.sent)).toEqual(['server/discover'])
  const overSse = scriptedUpstream({ target: { era: 'modern', reach: { ...http, transport: 'sse' } } })
  expect(await overSse.upstream.ready()).toMatchObject({ era: 'legacy' })
})

test('a modern request names the client, its capabilities, and repeats its fields in headers', async () => {
  const { upstream, call, line } = scriptedUpstream({ target: { reach: http }, on: modern })
  await upstream.ready()
  const client = { capabilities: { elicitation: {} }, info: { name: 'editor', version: '2' } }
  const _meta = { [metaKey.logLevel]: 'debug', [metaKey.clientCapabilities]: { sampling: {} }, traceparent: '00' }
  void call({ name: 'lésen', arguments: {}, _meta }, { client, headers: { 'Mcp-Param-Isbn': '1' } })
  const up = await line()
  const { id, params } = await up.got('tools/call')
  expect(params?.['_meta']).toMatchObject({
    [metaKey.protocolVersion]: modernVersion,
    [metaKey.clientInfo]: client.info,
    [metaKey.clientCapabilities]: client.capabilities,
    [metaKey.logLevel]: 'debug',
    traceparent: '00',
  })
  expect(up.headersOf(id)).toEqual({
    'MCP-Protocol-Version': modernVersion,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': '=?base64?bMOpc2Vu?=',
    'Mcp-Param-Isbn': '1',
  })
  void upstream.request('tasks/get', { taskId: 't1' }, caller()).catch(() => {})
  expect(up.headersOf((await up.got('tasks/get')).id)).toMatchObject({ 'Mcp-Name': 't1' })
})

test.each(['input_required', 'task', 'of tomorrow'])(
  'a result of type "%s" comes back as it is',
  async (resultType) => {
    const { call, line } = scriptedUpstream({ target: { reach: http }, on: modern })
    const answer = call()
    const result = { resultType, inputRequests: { a: { method: 'roots/list' } }, requestState: 'sealed', taskId: 't' }
    ;(await line()).answer(await (await line()).got('tools/call'), result)
    expect(await answer).toBe(result)
  },
)

test('an upstream that no longer speaks the agreed revision gets one new handshake', async () => {
  let refusals = 1
  const { upstream, call, line } = scriptedUpstream({
    target: { reach: http },
    on(request, up) {
      if (request.method !== 'tools/call') return modern(request, up)
      if (refusals-- > 0) up.refuse(request, -32022, 'Unsupported', { supported: [modernVersion] })
      else up.answer(request, { resultType: 'complete', content: [] })
      return true
    },
  })
  await upstream.ready()
  expect(await call()).toMatchObject({ content: [] })
  const { sent } = await line()
  expect(methods(sent).filter((method) => method === 'server/discover')).toHaveLength(2)
  refusals = 9
  await expect(call()).rejects.toMatchObject({ code: -32022 })
})

test('an upstream that hangs in the handshake is closed after its time limit', async () => {
  const { upstream, lines } = scriptedUpstream({
    target: { handshakeMs: 200 },
    on: () => true,
    stderr: 'loading…\nstuck\n',
  })
  await expect(upstream.ready()).rejects.toMatchObject({
    code: -32001,
    message: expect.stringMatching(/"books".*200 ms \(handshake_ms\).*stuck/),
  })
  expect(lines.map(({ isClosed }) => isClosed)).toEqual([true])
  expect(upstream.status).toMatchObject({ is: 'failed', reason: expect.stringContaining('200 ms') })
})

test('an upstream whose transport never starts has the same time limit', async () => {
  const { upstream, lines } = scriptedUpstream({ target: { handshakeMs: 200 }, onStart: () => new Promise(() => {}) })
  await expect(upstream.ready()).rejects.toThrow('200 ms')
  expect(lines[0]!.isClosed).toBe(true)
})

test('the failure of an upstream that dies in the handshake quotes its output without secrets', async () => {
  const { upstream } = scriptedUpstream({
    on(_, up) {
      up.breaks.closed('books ended with exit code 1')
      return true
    },
    stderr: 'key hunter2-hunter2 refused\n',
  })
  await expect(upstream.ready()).rejects.toThrow(/exit code 1.*key \[redacted\] refused/)
  expect(upstream.stderr).toBe('key [redacted] refused')
})
