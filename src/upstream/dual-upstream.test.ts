import { expect, test } from 'vitest'
import type { Line, Script } from '../../test/worlds/scripted-upstream.ts'
import { http, modern, scriptedUpstream } from '../../test/worlds/scripted-upstream.ts'
import { until } from '../../test/fixtures/until.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { isRequest } from '../mcp/mcp.ts'

/**
 * Each connection has the era that it was opened with, like the SDK's stdio servers. Calls are answered with that era.
 */
const dual: Script['on'] = (request, line) => {
  const [opening] = line.sent.filter(isRequest)
  const era = opening?.method === 'server/discover' ? 'modern' : 'legacy'
  if (request.method === 'tools/call') line.answer(request, { resultType: 'complete', content: [], era })
  else return era === 'modern' && modern(request, line)
  return true
}

const by = (era: 'legacy' | 'modern') => ({ client: { era, capabilities: {} } })
const openings = (lines: readonly Line[]) => lines.map(({ sent }) => sent.find(isRequest)?.method)

test('a stdio upstream that speaks both eras takes the era of the first caller, in one process', async () => {
  const { upstream, call, lines, statuses } = scriptedUpstream({ isDual: true, on: dual })
  expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
  expect(upstream.identity).toMatchObject({ era: 'modern' })
  await until(() => lines[0]!.isClosed)
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
  expect(openings(lines)).toEqual(['initialize', 'server/discover'])
  expect(statuses.at(-1)).toEqual({ is: 'running' })
})

test('clients of both eras are each served in their own era, over HTTP too', async () => {
  const { call, lines, upstream } = scriptedUpstream({ isDual: true, on: dual, target: { reach: http } })
  expect(await call(undefined, by('legacy'))).toMatchObject({ era: 'legacy' })
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
  expect(await call(undefined, by('legacy'))).toMatchObject({ era: 'legacy' })
  expect(upstream.identity).toMatchObject({ era: 'legacy' })
  expect(openings(lines)).toEqual(['server/discover', 'initialize', 'server/discover'])
})

test('two first calls of different eras do not interrupt each other', async () => {
  const { call } = scriptedUpstream({ isDual: true, on: dual, target: { reach: http } })
  const answers = await Promise.all([call(undefined, by('legacy')), call(undefined, by('modern'))])
  expect(answers).toMatchObject([{ era: 'legacy' }, { era: 'modern' }])
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
})

test('a request of the hub itself does not decide the era', async () => {
  const { call, lines } = scriptedUpstream({ isDual: true, on: dual })
  expect(await call()).toMatchObject({ era: 'legacy' })
  expect(lines).toHaveLength(1)
})

test.each(['exits on', 'refuses'])(
  'a stdio upstream that %s server/discover is called the legacy way, and asked only once',
  async (how) => {
    const { call, lines } = scriptedUpstream({
      isDual: true,
      on(request, line) {
        if (request.method !== 'server/discover') return dual(request, line)
        if (how === 'refuses') line.refuse(request, -32601, 'Method not found')
        else line.breaks.closed('books ended with exit code 1')
        return true
      },
    })
    for (let count = 0; count < 2; count++) expect(await call(undefined, by('modern'))).toMatchObject({ era: 'legacy' })
    expect(openings(lines)).toEqual(['initialize', 'server/discover'])
    expect(lines.map(({ isClosed }) => isClosed)).toEqual([false, true])
  },
)

test('an HTTP upstream whose legacy side has no connections, and so cannot ask, stays modern', async () => {
  const { call, upstream } = scriptedUpstream({ isDual: true, canAsk: false, on: dual, target: { reach: http } })
  expect(await call(undefined, by('legacy'))).toMatchObject({ era: 'modern' })
  expect(upstream.identity).toMatchObject({ era: 'modern' })
})

test('an upstream that refused an era in its first handshake is not opened for that era again', async () => {
  const { call, lines } = scriptedUpstream({
    isDual: true,
    target: { reach: http },
    on(request, line) {
      if (request.method === 'server/discover') line.refuse(request, -32601, 'Method not found')
      else if (request.method === 'tools/call') line.answer(request, { content: [] })
      else return false
      return true
    },
  })
  await call(undefined, by('modern'))
  expect(lines).toHaveLength(1)
})

test('subscriptions and the log level move along when the other side takes over', async () => {
  const capabilities = { logging: {}, resources: { subscribe: true } }
  const { upstream, call, lines } = scriptedUpstream({
    isDual: true,
    capabilities,
    target: { reach: http },
    on: (request, line) => dual(request, line),
  })
  await upstream.ready()
  await upstream.subscribe('books://1')
  upstream.setLogLevel('debug')
  await call(undefined, by('legacy'))
  expect(await lines[1]!.got('resources/subscribe')).toMatchObject({ params: { uri: 'books://1' } })
  expect(await lines[1]!.got('logging/setLevel')).toMatchObject({ params: { level: 'debug' } })
})

test('an upstream that is closed while its other side opens is closed at once', async () => {
  const { upstream, call, lines } = scriptedUpstream({
    isDual: true,
    target: { handshakeMs: 600_000 },
    on: (request, line) => request.method === 'server/discover' || dual(request, line),
  })
  await upstream.ready()
  const answer = call(undefined, by('modern'))
  await until(() => lines[1]?.sent.length)
  await upstream[Symbol.asyncDispose]()
  await expect(answer).rejects.toThrow('shut down')
  expect(lines.every(({ isClosed }) => isClosed)).toBe(true)
})

test('a restart by a person tries the other era again', async () => {
  let isDual = false
  const { upstream, call } = scriptedUpstream({
    isDual: true,
    on(request, line) {
      if (isDual || request.method !== 'server/discover') return dual(request, line)
      line.refuse(request, -32601, 'Method not found')
      return true
    },
  })
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'legacy' })
  isDual = true
  await upstream.restart()
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
})

test('an HTTP upstream that answers initialize with the modern revision stays modern', async () => {
  const { call, upstream } = scriptedUpstream({
    isDual: true,
    target: { reach: http, strict: false },
    on(request, line) {
      if (request.method !== 'initialize') return modern(request, line) || answered(request, line)
      line.answer(request, { protocolVersion: '2026-07-28', capabilities: {}, serverInfo: { name: 'x', version: '1' } })
      return true
    },
  })
  await call(undefined, by('legacy'))
  expect(upstream.identity).toMatchObject({ era: 'modern' })
})

test('when one side is gone for good, its clients are served by the other', async () => {
  let isGone = false
  const { call, lines } = scriptedUpstream({
    isDual: true,
    on(request, line) {
      if (!isGone || request.method !== 'server/discover') return dual(request, line)
      line.breaks.closed('books ended with exit code 1')
      return true
    },
  })
  await call(undefined, by('legacy'))
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'modern' })
  isGone = true
  lines[1]!.breaks.closed('books ended with exit code 1')
  await until(async () => 'era' in (await call(undefined, by('modern')).catch(() => ({}))))
  expect(await call(undefined, by('modern'))).toMatchObject({ era: 'legacy' })
})

function answered(request: RpcRequest, line: Line): boolean {
  line.answer(request, { resultType: 'complete', content: [] })
  return true
}
