/** A value of the wrong type is an error of the sender, never a failure of the hub. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { exchange, type Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { namesIn, script } from './questions.ts'
import { type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

/** Converting this object to a string or a number throws. */
const stubborn = { toString: 1, valueOf: 1 }
const wrong = [stubborn, [stubborn], null, true, -1, 1.5, '-1', '1e3', ' 1', '0x1', '']

let world: ScriptedWorld
let agent: Target
beforeAll(async () => {
  // Disposing it fails if the hub logged a fault.
  world = await startScriptedWorld()
  agent = await world.session('agent')
  for (const name of ['up', 'other']) {
    await world.upstream(name, { options: { shared: name === 'up' } })
    await world.bind('agent', name)
  }
  await until(async () => namesIn(await modern(agent, 'tools/list')).includes('up_script'))
})
afterAll(() => world[Symbol.asyncDispose]())

const codeIn = (body: unknown) => (body as { error?: { code: number } }).error?.code

describe.each(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])(
  'the cursor of %s',
  (method) => {
    test('must be a cursor from an earlier page', async () => {
      const legacy = await connectLegacy(agent)
      for (const cursor of wrong) {
        expect(codeIn((await modern(agent, method, { cursor })).body), JSON.stringify(cursor)).toBe(-32602)
        const request = { jsonrpc: '2.0', id: legacy.nextId(), method, params: { cursor } }
        expect(codeIn((await exchange(agent, legacy.spec(request))).body), JSON.stringify(cursor)).toBe(-32602)
      }
      expect((await modern(agent, method, { cursor: '0' })).body).toHaveProperty('result')
    })
  },
)

test.each(['query_events', 'list_sessions', 'list_approvals', 'list_connectors', 'list_jobs'])(
  'the tool %s accepts only a cursor from an earlier page',
  async (name) => {
    for (const cursor of [stubborn, [stubborn], null, true, 1.5]) {
      const { body } = await modern(world, 'tools/call', { name, arguments: { cursor } })
      expect(body).toMatchObject({ result: { isError: true } })
    }
  },
)

test('call_tool accepts only a text as name', async () => {
  const { body } = await modern(agent, 'tools/call', { name: 'call_tool', arguments: { name: stubborn } })
  expect(body).toMatchObject({ error: { code: -32602, message: '"name" must be a string.' } })
})

test('an upstream that sends such values breaks no call, and causes no fault of the hub', async () => {
  const notices = [
    { method: 'notifications/progress', params: { progressToken: stubborn, progress: 1 } },
    { method: 'notifications/cancelled', params: { requestId: stubborn } },
    { method: 'notifications/resources/updated', params: { uri: stubborn } },
    { method: 'constructor' },
    { method: 'toString', params: {} },
    {
      method: 'notifications/message',
      params: { level: 'info', data: 1, _meta: { 'io.modelcontextprotocol/subscriptionId': stubborn } },
    },
  ]
  const { body } = await modern(agent, 'tools/call', script(notices.map((say) => ({ say }))))
  expect(body).toHaveProperty('result.content')
})
