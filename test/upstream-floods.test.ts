/** An upstream that sends as much as it can costs the hub little, and does not hold up others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './fixtures/until.ts'
import { openConnection, requestOn } from './harness/legacy-call.ts'
import { type Endpoint, modernRequest } from './harness/modern-call.ts'
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
