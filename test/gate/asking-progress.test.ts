/** An upstream that asks gets the progress of the answer: under its own token, and only while it waits. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerJson, openStream, resultOf, serveHttp, type Visit } from '../worlds/http-upstream.ts'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { able, accepted, answersIn, askedBy, namesIn, question, script } from './questions.ts'
import {
  eventually,
  type Received,
  type ScriptedUpstream,
  type ScriptedWorld,
  startScriptedWorld,
} from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let agent: Target
let up: ScriptedUpstream
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  up = await world.upstream('up')
  await world.bind('agent', 'up')
  await until(async () => namesIn(await modern(agent, 'tools/list')).includes('up_script'))
})
afterAll(() => world[Symbol.asyncDispose]())

interface Asked {
  readonly id: string
  readonly params: { readonly _meta?: Readonly<Record<string, unknown>> }
}

function withToken(progressToken: string | number, request: { method: string; params?: object } = question) {
  return { ...request, params: { ...request.params, _meta: { progressToken, 'example.com/kept': 1 } } }
}

function answersAndProgress(received: readonly Received[]): readonly Received[] {
  return received.filter(({ method, result }) => method === 'notifications/progress' || result !== undefined)
}

test.each([
  ['elicitation/create', question, accepted],
  [
    'sampling/createMessage',
    { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
    { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' },
  ],
  ['roots/list', { method: 'roots/list' }, { roots: [{ uri: 'file:///srv' }] }],
])('progress of a client on %s reaches the upstream that asked, before the answer', async (_, request, answer) => {
  const before = up.received().length
  const client = await connectLegacy(agent, { capabilities: able })
  using stream = await client.stream('tools/call', script([{ ask: withToken(7, request) }]))
  const { id, params } = (await stream.message()) as Asked
  const { progressToken, ...kept } = params._meta ?? {}
  expect(kept).toMatchObject({ 'example.com/kept': 1 })
  await client.notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half' })
  await client.notify('notifications/progress', { progressToken, progress: 2, total: 2 })
  await client.post({ jsonrpc: '2.0', id, result: answer })
  expect(answersIn(await stream.message())).toEqual([answer])
  expect(answersAndProgress(up.received().slice(before))).toMatchObject([
    { params: { progressToken: 7, progress: 1, total: 2, message: 'half' } },
    { params: { progressToken: 7, progress: 2, total: 2 } },
    { result: answer },
  ])
})

test('two questions with one token are kept apart, and progress after the answer is dropped', async () => {
  const before = up.received().length
  const [one, two] = [
    await connectLegacy(agent, { capabilities: able }),
    await connectLegacy(agent, { capabilities: able }),
  ]
  using first = await one.stream('tools/call', script([{ askAll: [withToken('t'), withToken('t')] }]))
  const [a, b] = [(await first.message()) as Asked, (await first.message()) as Asked]
  const [tokenA, tokenB] = [a, b].map(({ params }) => params._meta?.['progressToken'])
  expect(tokenA).not.toBe(tokenB)
  await one.post({ jsonrpc: '2.0', id: a.id, result: accepted })
  await one.notify('notifications/progress', { progressToken: tokenA, progress: 1 })
  await two.notify('notifications/progress', { progressToken: tokenB, progress: 2 })
  await one.notify('notifications/progress', { progressToken: tokenB, progress: 3 })
  await one.post({ jsonrpc: '2.0', id: b.id, result: accepted })
  await first.message()
  const told = up.received('notifications/progress').slice(-1)
  expect(told).toMatchObject([{ params: { progressToken: 't', progress: 3 } }])
  expect(answersAndProgress(up.received().slice(before))).toHaveLength(3)
})

test('a client gets no token if no progress is wanted', async () => {
  const client = await connectLegacy(agent, { capabilities: able })
  using stream = await client.stream('tools/call', script([{ ask: question }]))
  const { id, params } = (await stream.message()) as Asked
  expect(params).toEqual(askedBy('up').params)
  await client.post({ jsonrpc: '2.0', id, result: accepted })
  await stream.message()
})

test('an upstream over HTTP gets progress as well, and accepts the last of it before the answer is sent', async () => {
  const tool = { name: 'ask', inputSchema: { type: 'object' } }
  let finish = () => {}
  let takeProgress = () => {}
  function answer(visit: Visit): void {
    const { method, message } = visit
    if (method === 'GET') return void visit.response.writeHead(405).end()
    if (message?.method === 'initialize') {
      const serverInfo = { name: 'asking', version: '1' }
      return answerJson(visit, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
    }
    if (message?.method === 'tools/list') return answerJson(visit, { tools: [tool] })
    if (message?.method === 'tools/call') {
      const write = openStream(visit)
      write({ data: { jsonrpc: '2.0', id: 'q', ...withToken('mine') } })
      finish = () => {
        write({ data: resultOf(visit, { content: [] }) })
        visit.response.end()
      }
      return
    }
    const take = () => void visit.response.writeHead(202).end()
    if (message?.method === 'notifications/progress') takeProgress = take
    else take()
    if (message?.id === 'q') finish()
  }
  const server = await serveHttp(answer)
  await world.call('save_connector', {
    name: 'web',
    transport: 'http',
    base_url: server.url,
    options: { era: 'legacy' },
  })
  const person = await world.session('web')
  await world.bind('web', 'web')
  await eventually(async () => namesIn(await modern(person, 'tools/list'))).toContain('web_ask')

  const client = await connectLegacy(person, { capabilities: able })
  using stream = await client.stream('tools/call', { name: 'web_ask', arguments: {} })
  const { id, params } = (await stream.message()) as Asked
  const progressToken = params._meta?.['progressToken']
  await client.notify('notifications/progress', { progressToken, progress: 1 })
  await client.post({ jsonrpc: '2.0', id, result: accepted })
  const received = () =>
    answersAndProgress(server.visits.flatMap(({ message }) => (message ? [message as Received] : [])))
  await eventually(received).toHaveLength(1)
  await modern(person, 'tools/call', { name: 'hub_status', arguments: {} })
  expect(received()).toHaveLength(1)
  takeProgress()
  expect(await stream.message()).toMatchObject({ result: { content: [] } })
  expect(received()).toMatchObject([{ params: { progressToken: 'mine', progress: 1 } }, { id: 'q', result: accepted }])
})

test('at 2026-07-28, which has no such progress, the client is asked without a token', async () => {
  const { body } = await modern(agent, 'tools/call', script([{ ask: withToken('t') }]), { capabilities: able })
  expect(questionsIn(body)).toMatchObject([{ params: { _meta: { 'example.com/kept': 1 } } }])
  expect(JSON.stringify(body)).not.toContain('progressToken')
})

test('the question of a modern upstream, which gets no progress, reaches clients of both eras without a token', async () => {
  await world.upstream('new', { isModern: true })
  const person = await world.session('new')
  await world.bind('new', 'new')
  await eventually(async () => namesIn(await modern(person, 'tools/list'))).toContain('new_script')
  const params = { name: 'new_script', arguments: { question: { inputRequests: { sure: withToken('t') } } } }

  const { body } = await modern(person, 'tools/call', params, { capabilities: able })
  expect(questionsIn(body)).toMatchObject([{ params: { _meta: { 'example.com/kept': 1 } } }])
  expect(JSON.stringify(body)).not.toContain('progressToken')

  const client = await connectLegacy(person, { capabilities: able })
  using stream = await client.stream('tools/call', params)
  const asked = (await stream.message()) as Asked
  expect(asked.params._meta).toEqual({ 'example.com/kept': 1, 'io.signalbox/connector': 'new' })
  await client.post({ jsonrpc: '2.0', id: asked.id, result: accepted })
  await stream.message()
})

function questionsIn(body: unknown): readonly unknown[] {
  return Object.values((body as { result: { inputRequests: object } }).result.inputRequests)
}
