/** server-everything from npm, once direct and once through the gateway: an agent cannot tell the difference. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patience } from '../worlds/own-hub.ts'
import { type GatewayHub, startGatewayHub } from '../worlds/gateway-hub.ts'
import type { Answer, Params, RawClient } from './raw-client.ts'
import {
  askBoth,
  callBoth,
  connectPair,
  exposed,
  listedThrough,
  noticesOf,
  packageProgram,
  type Pair,
  toolsOf,
} from './side-by-side.ts'

let hub: GatewayHub
let pair: Pair
beforeAll(async () => {
  hub = await startGatewayHub({ A_SECRET_OF_THE_HUB: 'hush' })
  pair = await connectPair(hub, 'everything', () => packageProgram('server-everything', 'stdio'))
})
afterAll(async () => {
  await pair[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

test('every tool is listed with all that the server says about it', async () => {
  const tools = await listedThrough(pair)
  expect(tools.length).toBeGreaterThanOrEqual(17)
  expect(tools).toEqual(await toolsOf(pair.direct))
})

const harmless: readonly (readonly [tool: string, args: Params])[] = [
  ['echo', { message: 'hello' }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-resource-links', { count: 4 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 2 }],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-sum', { a: 2, b: 40 }],
  ['get-tiny-image', {}],
  ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' }],
  ['trigger-sampling-request', { prompt: 'what now?', maxTokens: 5 }],
  ['trigger-elicitation-request', {}],
]
test.each(harmless)('%s answers as it does direct', async (tool, args) => {
  const { direct, through } = await callBoth(pair, tool, args)
  expect(direct.result?.['isError'] ?? false).toBe(false)
  expect(steady(through)).toEqual(steady(direct))
})

test('the server gets the workspace of the session as a root, besides the roots of its client', async () => {
  const { result } = await pair.through.request('tools/call', { name: 'everything_get_roots_list', arguments: {} })
  expect(JSON.stringify(result)).toMatch(/URI: file:\/\/\/\S+agent-of-everything/)
})

test('a question of the server reaches the client that called', async () => {
  await callBoth(pair, 'trigger-sampling-request', { prompt: 'what now?' })
  await callBoth(pair, 'trigger-elicitation-request', {})
  expect(pair.through.asked).toEqual(expect.arrayContaining(['sampling/createMessage', 'elicitation/create']))
})

test('wrong arguments are refused with the server’s own message', async () => {
  for (const [tool, args] of [
    ['get-sum', { a: 'x' }],
    ['echo', {}],
  ] as const) {
    const { direct, through } = await callBoth(pair, tool, args)
    expect(through).toEqual(direct)
  }
})

test('the server sees nothing of the hub’s environment but what every program needs', async () => {
  const { result } = await pair.through.request('tools/call', { name: 'everything_get_env', arguments: {} })
  expect(JSON.stringify(result)).toContain('PATH')
  expect(JSON.stringify(result)).not.toMatch(/A_SECRET_OF_THE_HUB|hush|SIGNALBOX_(?!UPSTREAM)/)
})

test('a task is started, read and fetched as it is direct', async () => {
  const call = { arguments: { topic: 'signals' }, task: { ttl: 60_000 } }
  for (const side of ['direct', 'through'] as const) {
    const name = side === 'direct' ? 'simulate-research-query' : exposed(pair.label, 'simulate-research-query')
    const { result: begun = {} } = await pair[side].request('tools/call', { name, ...call })
    const { taskId } = begun['task'] as { taskId: string }
    const { result: seen } = await pair[side].request('tasks/get', { taskId })
    expect(seen).toMatchObject({ taskId, status: 'working' })
    const { result } = await pair[side].request('tasks/result', { taskId })
    expect(JSON.stringify(result)).toContain('Research Report: signals')
  }
})

test('progress arrives complete and in order', async () => {
  const args = { duration: 0.5, steps: 5 }
  const { direct, through } = await callBoth(pair, 'trigger-long-running-operation', args, {
    _meta: { progressToken: 'long' },
  })
  expect(through).toEqual(direct)
  const progress = (client: RawClient) => noticesOf(client, 'notifications/progress').map(({ params }) => params)
  expect(progress(pair.direct)).toHaveLength(5)
  expect(progress(pair.through)).toEqual(progress(pair.direct))
})

test('resources, templates and prompts are listed, read and completed as they are direct', async () => {
  const uri = 'demo://resource/static/document/architecture.md'
  const questions: readonly (readonly [string, Params])[] = [
    ['resources/read', { uri }],
    ['completion/complete', completion('demo://resource/dynamic/text/{resourceId}', 'resourceId', '7')],
  ]
  for (const [method, params] of questions) {
    const { direct, through } = await askBoth(pair, method, params)
    expect(through).toEqual(direct)
  }
  for (const [method, field] of [
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const) {
    const { direct, through } = await askBoth(pair, method, {})
    expect(through.result?.[field]).toEqual(expect.arrayContaining(direct.result?.[field] as unknown[]))
  }
  const prompt = { arguments: { city: 'Oslo' } }
  const direct = await pair.direct.request('prompts/get', { name: 'args-prompt', ...prompt })
  const through = await pair.through.request('prompts/get', { name: 'everything_args_prompt', ...prompt })
  expect(through.result).toEqual(direct.result)
})

test('updates of a resource reach each subscriber', async () => {
  const uri = 'demo://resource/dynamic/text/1'
  for (const client of [pair.direct, pair.through]) {
    expect(await client.request('resources/subscribe', { uri })).toMatchObject({ result: {} })
  }
  await callBoth(pair, 'toggle-subscriber-updates', {})
  const updates = (client: RawClient) => noticesOf(client, 'notifications/resources/updated').length
  await expect.poll(() => updates(pair.direct), patience).toBeGreaterThanOrEqual(2)
  await expect.poll(() => updates(pair.through), patience).toBeGreaterThanOrEqual(2)
  for (const client of [pair.direct, pair.through]) await client.request('resources/unsubscribe', { uri })
  await callBoth(pair, 'toggle-subscriber-updates', {})
})

test('log lines arrive once a level is set', async () => {
  for (const client of [pair.direct, pair.through]) await client.request('logging/setLevel', { level: 'debug' })
  await callBoth(pair, 'toggle-simulated-logging', {})
  for (const client of [pair.direct, pair.through]) {
    await expect.poll(() => noticesOf(client, 'notifications/message').length, patience).toBeGreaterThan(0)
  }
  await callBoth(pair, 'toggle-simulated-logging', {})
})

function completion(uri: string, name: string, value: string): Params {
  return { ref: { type: 'ref/resource', uri }, argument: { name, value } }
}

/** Removes the time from results that contain it. */
function steady(answer: Answer): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, 'now'))
}
