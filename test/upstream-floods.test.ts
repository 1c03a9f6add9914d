/** An upstream that sends as much as it can costs the hub little, and does not hold up others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './fixtures/until.ts'
import { openConnection, requestOn } from './harness/legacy-call.ts'
import { type Endpoint, modernRequest } from './harness/modern-call.ts'
import { answerJson, openStream, resultOf, serveHttp } from './worlds/http-upstream.ts'
import { type GatewayHub, overStdio, startGatewayHub } from './worlds/gateway-hub.ts'
import { type HttpUpstream, startHttpUpstream } from './worlds/upstream-process.ts'
import {
  cpuMsOf,
  type FloodKind,
  floodingProgram,
  isAnswered,
  peakMbOf,
  startFlood,
} from './worlds/flooded-by-upstream.ts'

let hub: GatewayHub
let http: HttpUpstream
let other: Endpoint
beforeAll(async () => {
  hub = await startGatewayHub({ SIGNALBOX_DRAIN_GRACE_SECONDS: '1' })
  http = await startHttpUpstream({ ...floodingProgram, args: [...floodingProgram.args, '--http'] })
  other = await hub.agentOf('other', { quiet: overStdio(floodingProgram) })
  await until(() => isAnswered(other, 'quiet_echo'))
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await http[Symbol.asyncDispose]()
})

const megabyte = 1024 * 1024
/** Work of another session while a flood runs, and the CPU time of the hub that each call may take with it. */
const calls = 10
const mostMsPerCall = 80

const overPipes = ['notices', 'noise', 'newlines', 'emptyStderr', 'batches']
test.each(overPipes)('a flood of %s over stdio does not hold up other sessions', async (kind) => {
  await expectHarmless({ kind }, `stdio-${kind.toLowerCase()}`)
})

const onStream = ['notices', 'carriageReturns', 'fields']
test.each(onStream)('a flood of %s on a stream does not hold up other sessions', async (kind) => {
  await expectHarmless({ kind }, `stream-${kind.toLowerCase()}`, http.url)
})

test('a hub survives questions of 30 megabytes of objects to a client that takes questions', async () => {
  const agent = await hub.agentOf('questions', { flooder: overStdio(floodingProgram) })
  await until(() => isAnswered(agent, 'flooder_echo'))
  const before = peakMbOf(hub)
  const connection = await openConnection(agent, { elicitation: {} })
  const flood = { kind: 'objects', bytes: 30 * megabyte, times: 8 }
  const answer = await requestOn(agent, connection, 'tools/call', { name: 'flooder_flood', arguments: flood })
  expect(await answer.text()).toContain('done')
  expect(await isAnswered(other, 'quiet_echo')).toBe(true)
  expect(peakMbOf(hub) - before).toBeLessThan(600)
})

test('an answer with too many values fails with a reason, and a long text passes', async () => {
  const agent = await hub.agentOf('answers', { large: overStdio(floodingProgram) })
  await until(() => isAnswered(agent, 'large_echo'))
  const objects = modernRequest(agent, 'tools/call', { name: 'large_objects', arguments: { bytes: 150_000 } })
  await expect(objects).rejects.toThrow('it has more than 100000 keys and array elements')
  const few = await modernRequest(agent, 'tools/call', { name: 'large_objects', arguments: { bytes: 45_000 } })
  expect(few).toMatchObject({ structuredContent: { list: { length: 45_000 } } })
  const bytes = 30 * megabyte
  const text = await modernRequest(agent, 'tools/call', { name: 'large_text', arguments: { bytes } })
  expect((text as { content: { text: string }[] }).content[0]?.text).toHaveLength(bytes)
})

test('long ids and addresses of an upstream are not sent back, and people see why', async () => {
  const long = 'x'.repeat(megabyte)
  const upstream = await serveHttp((visit) => {
    const { message, method, path, response } = visit
    if (method === 'GET' && path === '/address') return openStream(visit)({ event: 'endpoint', data: long })
    if (message?.id === undefined || message.method === undefined) return response.writeHead(202).end()
    if (message.method === 'initialize') return answerJson(visit, identity)
    if (message.method === 'tools/list') return answerJson(visit, { tools: [{ name: 'go', inputSchema: {} }] })
    if (message.method !== 'tools/call') return response.writeHead(400).end()
    const send = openStream(visit)
    if (path === '/event') send({ id: long, data: '' })
    else for (let ping = 0; ping < 20; ping++) send({ data: { jsonrpc: '2.0', id: `${long}${ping}`, method: 'ping' } })
    send({ data: resultOf(visit, { content: [] }) })
    response.end()
  })
  const agent = await hub.agentOf('long', {
    request: { transport: 'http', base_url: `${upstream.origin}/request` },
    event: { transport: 'http', base_url: `${upstream.origin}/event` },
    address: { transport: 'sse', base_url: `${upstream.origin}/address` },
  })
  const call = (name: string) => until(() => outcomeOf(agent, name))
  expect(await call('request_go')).toContain('"content":[]')
  const answers = upstream.visits.flatMap(({ message }) => (message && !message.method ? [message] : []))
  expect(answers.length).toBeGreaterThan(0)
  expect(JSON.stringify(answers).length).toBeLessThan(10_000)
  expect(await call('event_go')).toMatch(
    /The upstream "event" .* An event id must be a text of at most 8192 characters/,
  )
  const bindings = await until(async () => {
    const found = JSON.stringify(await hub.call('list_bindings', { session: 'long' }))
    return found.includes('"failed"') && found
  })
  expect(bindings).toContain('The address for messages must be a text of at most 8192 characters')
})

const identity = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'long', version: '1' },
}

/** What a call of the tool came to. `false`: the tool is not offered yet. */
async function outcomeOf(agent: Endpoint, name: string): Promise<string | false> {
  const outcome = await modernRequest(agent, 'tools/call', { name, arguments: {} }).catch(String)
  const text = typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
  return !text.includes('Unknown tool') && text
}

test('a list with endless pages is cut, and people see why', async () => {
  const endless = { ...floodingProgram, args: [...floodingProgram.args, '--endless'] }
  const agent = await hub.agentOf('endless', { pages: overStdio(endless) })
  await until(() => isAnswered(agent, 'pages_echo'))
  const bindings = await until(async () => {
    const found = JSON.stringify(await hub.call('list_bindings', { session: 'endless' }))
    return found.includes('do not end') && found
  })
  expect(bindings).toContain('it sends more than 300, or a cursor again')
})

test('a hub ends in the middle of floods', async () => {
  const floods = [
    await startFlood(hub, 'last-notices', { kind: 'notices' }),
    await startFlood(hub, 'last-stderr', { kind: 'stderr' }),
  ]
  expect(floods.every((flood) => flood.isRunning())).toBe(true)
  expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

async function expectHarmless(flood: FloodKind, session: string, url?: string): Promise<void> {
  const running = await startFlood(hub, session, flood, url)
  const before = cpuMsOf(hub)
  for (let call = 0; call < calls; call++) expect(await isAnswered(other, 'quiet_echo')).toBe(true)
  expect((cpuMsOf(hub) - before) / calls).toBeLessThan(mostMsPerCall)
  expect(running.isRunning()).toBe(true)
  await hub.call('kill_session', { name: session })
  expect(await running.ended).toContain('Error')
}
