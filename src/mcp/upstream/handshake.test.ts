import { expect, test } from 'vitest'
import type { Script } from '../../../test/fixtures/scripted-upstream.ts'
import { caller, http, modern, scriptedUpstream, stdio } from '../../../test/fixtures/scripted-upstream.ts'
import type { RpcMessage } from '../wire.ts'
import { metaKey, modernVersion, newestLegacyVersion } from '../wire.ts'
import { clientCapabilities } from './upstream.ts'

const methods = (sent: readonly RpcMessage[]) =>
  sent.map((message) => ('method' in message ? message.method : 'answer'))

test('a legacy upstream is initialised, and what it says of itself is kept as it came', async () => {
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
        capabilities: clientCapabilities,
        clientInfo: { name: 'signalbox', version: '1' },
      },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ])
  expect(agreed).toEqual([newestLegacyVersion])
  expect(statuses.map(({ is }) => is)).toEqual(['initializing', 'running'])
})

test.each(['2024-10-07', '2024-11-05', '2025-06-18'])('the revision %s is taken as it is offered', async (version) => {
  const { upstream, line } = scriptedUpstream({
    on(request, up) {
      if (request.method !== 'initialize') return false
      up.answer(request, { protocolVersion: version, capabilities: {}, serverInfo: { name: 'old', version: '1' } })
      return true
    },
  })
  expect(await upstream.ready()).toMatchObject({ era: 'legacy', version })
  expect((await line()).agreed).toEqual([version])
})

test.each([modernVersion, 'soon', 7])('an initialize that is answered with %s is refused', async (protocolVersion) => {
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

test('a modern upstream over HTTP is asked with the headers of its revision and nothing else first', async () => {
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
  'an HTTP upstream that answers %s to the modern question is initialised',
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

test('an HTTP upstream that refuses the revision that it says it speaks is asked once more', async () => {
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

test('an HTTP upstream that leaves the modern question unanswered is initialised in the same time', async () => {
  const { upstream } = scriptedUpstream({
    target: { reach: http, handshakeMs: 400 },
    on: ({ method }) => method === 'server/discover',
  })
  expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
})

test.each([-32601, -32022, -32602])(
  'a stdio upstream that answers %s to initialize is asked the modern way, in the same process',
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

test('what is told to be of one era is asked in no other', async () => {
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

test('a modern request says who asks, what it can do, and repeats itself in headers', async () => {
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

test('an upstream that no longer speaks the agreed revision is asked anew, once', async () => {
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

test('one that hangs in the handshake is given its time, and closed', async () => {
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

test('one whose transport never starts is given the same time', async () => {
  const { upstream, lines } = scriptedUpstream({ target: { handshakeMs: 200 }, onStart: () => new Promise(() => {}) })
  await expect(upstream.ready()).rejects.toThrow('200 ms')
  expect(lines[0]!.isClosed).toBe(true)
})

test('one that dies in the handshake is told of in its own words, without secrets', async () => {
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
