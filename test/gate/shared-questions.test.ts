/** Sessions that share an upstream: a message that does not say which call it belongs to reaches none of them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { answerJson, openStream, resultOf, serveHttp, type Visit } from '../worlds/http-upstream.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'
import { able, accepted, namesIn, question } from './questions.ts'

let world: ScriptedWorld
let alpha: Target
let beta: Target
beforeAll(async () => {
  world = await startScriptedWorld()
  alpha = await world.session('alpha')
  beta = await world.session('beta')
})
afterAll(() => world[Symbol.asyncDispose]())

type Write = ReturnType<typeof openStream>
interface Answered {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Two calls run. `say` sends a message to the hub that names no call. */
interface Shared {
  say(message: object): void
  /** Sends a message with the answer to the call of a session. */
  sayTo(session: string, message: object): void
  finish(): void
  /** The sessions whose calls run. */
  readonly calls: ReadonlyMap<string, unknown>
  readonly answers: readonly Answered[]
}

const line = { method: 'notifications/message', params: { level: 'error', data: 'the secret of alpha' } }
const secret = { ...question, params: { ...question.params, message: 'the secret of alpha' } }

/** A legacy server over streamable HTTP, or over HTTP with SSE, where all messages come on one stream. */
async function serve(transport: 'http' | 'sse'): Promise<Shared & { readonly url: string }> {
  const answers: Answered[] = []
  const calls = new Map<string, { readonly visit: Visit; readonly write: Write }>()
  let standalone: Write | undefined
  function take(visit: Visit): void {
    const { method, message } = visit
    if (method === 'GET') {
      standalone = openStream(visit)
      if (transport === 'sse') visit.response.write('event: endpoint\ndata: /message\n\n')
      return
    }
    if (method === 'DELETE') return void visit.response.writeHead(200).end()
    if (message?.method === undefined && message?.id !== undefined) answers.push(message)
    const tools = [{ name: 'wait', inputSchema: { type: 'object' } }]
    const serverInfo = { name: 'shared', version: '1' }
    const opening = { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo }
    const known: Readonly<Record<string, object>> = {
      initialize: opening,
      'tools/list': { tools },
      'logging/setLevel': {},
    }
    const result = known[message?.method ?? '']
    if (message?.method === 'tools/call') {
      const name = (message.params as { arguments: { session: string } }).arguments.session
      if (transport === 'sse') visit.response.writeHead(202).end()
      calls.set(name, { visit, write: transport === 'sse' ? standalone! : openStream(visit) })
    } else if (transport === 'sse') {
      visit.response.writeHead(202).end()
      if (result) standalone?.({ data: resultOf(visit, result) })
    } else if (result) answerJson(visit, result, { 'mcp-session-id': 's1' })
    else visit.response.writeHead(202).end()
  }
  const server = await serveHttp(take)
  return {
    url: server.url,
    answers,
    calls,
    say: (message) => standalone?.({ data: { jsonrpc: '2.0', ...message } }),
    sayTo: (session, message) => calls.get(session)?.write({ data: { jsonrpc: '2.0', ...message } }),
    finish() {
      for (const { visit, write } of calls.values()) {
        write({ data: resultOf(visit, { content: [] }) })
        if (transport === 'http') visit.response.end()
      }
    },
  }
}

test.each(['http', 'sse'] as const)(
  'a question or line on the stream of no call reaches no client of sessions that share an upstream over %s',
  async (transport) => {
    const shared = await serve(transport)
    await world.call('save_connector', {
      name: transport,
      transport,
      base_url: shared.url,
      options: { era: 'legacy', shared: true },
    })
    for (const name of ['alpha', 'beta']) await world.bind(name, transport)
    for (const target of [alpha, beta]) {
      await eventually(async () => namesIn(await modern(target, 'tools/list'))).toContain(`${transport}_wait`)
    }
    const [first, second] = [
      await connectLegacy(alpha, { capabilities: able }),
      await connectLegacy(beta, { capabilities: able }),
    ]
    for (const client of [first, second]) await client.request('logging/setLevel', { level: 'debug' })
    const wait = (session: string) => ({ name: `${transport}_wait`, arguments: { session } })
    const stream = first.stream('tools/call', wait('alpha'))
    const other = second.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: wait('beta') })
    await until(() => shared.calls.size === 2)
    shared.say({ id: 'q1', ...secret })
    shared.say(line)
    await until(() => shared.answers.some(({ id }) => id === 'q1'))
    expect(shared.answers.find(({ id }) => id === 'q1')).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('Several sessions share this upstream') },
    })
    if (transport === 'http') {
      // A question with the answer to a call reaches the client of that call.
      shared.sayTo('alpha', { id: 'q2', ...question })
      const { id } = (await (await stream).message()) as { id: string }
      await first.post({ jsonrpc: '2.0', id, result: accepted })
      await until(() => shared.answers.some((answer) => answer.id === 'q2' && answer.result !== undefined))
    }
    shared.finish()
    const { text } = await other
    expect(text).toContain('"content"')
    expect(text).not.toContain('secret')
    using asked = await stream
    await asked.ended
    expect(JSON.stringify(asked.messages)).not.toContain('secret')
  },
)

test('a question outside of calls reaches the client while one session alone has used the upstream', async () => {
  const shared = await serve('http')
  const only = await world.session('only')
  await world.call('save_connector', {
    name: 'alone',
    transport: 'http',
    base_url: shared.url,
    options: { era: 'legacy', shared: true },
  })
  await world.bind('only', 'alone')
  await eventually(async () => namesIn(await modern(only, 'tools/list'))).toContain('alone_wait')
  const client = await connectLegacy(only, { capabilities: able })
  const stream = client.stream('tools/call', { name: 'alone_wait', arguments: { session: 'only' } })
  await until(() => shared.calls.size === 1)
  shared.say({ id: 'q1', ...question })
  using asked = await stream
  const { id, method } = (await asked.message()) as { id: string; method: string }
  expect(method).toBe('elicitation/create')
  await client.post({ jsonrpc: '2.0', id, result: accepted })
  await until(() => shared.answers.some((answer) => answer.id === 'q1' && answer.result !== undefined))
  shared.finish()
  await asked.message()
})
