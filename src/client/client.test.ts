import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenAnywhere } from '../../test/fixtures/ports.ts'
import { createClient } from './client.ts'
import type { Client, Fault, Notice } from './client.ts'

type Request = { id: number; method: string; params: Record<string, unknown>; headers: IncomingMessage['headers'] }
type Answer = (request: Request, response: ServerResponse) => void

test('sends its name and revision with each request, and repeats the tool name in a header', async () => {
  const { client, requests } = await endpoint((_, response) => json(response, { content: [], isError: false }))
  await client.callTool('gr\u00fc\u00dfe', { to: 'Ada' })
  expect(requests).toMatchObject([
    {
      method: 'tools/call',
      params: {
        name: 'gr\u00fc\u00dfe',
        arguments: { to: 'Ada' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
      headers: {
        authorization: 'Bearer secret',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': `=?base64?${Buffer.from('gr\u00fc\u00dfe').toString('base64')}?=`,
      },
    },
  ])
})

test('passes on the progress of a call, and waits longer after each progress', async () => {
  const { client } = await endpoint(({ id }, response) => {
    const stream = events(response)
    let sent = 0
    const timer = setInterval(() => {
      if (++sent <= 5) stream(progress(id, sent))
      else {
        clearInterval(timer)
        stream(result(id, { content: [{ type: 'text', text: 'done' }] }))
        response.end()
      }
    }, 400)
  })
  const seen: unknown[] = []
  const options = { timeoutMs: 2_000, onProgress: ({ progress: at }: Record<string, unknown>) => void seen.push(at) }
  expect((await client.callTool('slow', {}, options)).content).toEqual([{ type: 'text', text: 'done' }])
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test('times out without progress, and closes the request so that the server notices', async () => {
  const { promise: isClosed, resolve } = Promise.withResolvers<void>()
  const { client } = await endpoint((_, response) => void response.on('close', () => resolve()))
  expect(await faultOf(client.callTool('sleep', {}, { timeoutMs: 1_000 }))).toEqual({ is: 'timed-out' })
  await isClosed
})

test('closes the response of a cancelled call, and rejects with the reason', async () => {
  const { promise: isClosed, resolve } = Promise.withResolvers<void>()
  const { client } = await endpoint(({ id }, response) => {
    events(response)(progress(id, 1))
    response.on('close', () => resolve())
  })
  const cancelling = new AbortController()
  const onProgress = () => cancelling.abort(new Error('no longer wanted'))
  await expect(client.callTool('sleep', {}, { signal: cancelling.signal, onProgress })).rejects.toThrow(
    'no longer wanted',
  )
  await isClosed
})

test('repeats a call that waits for a person, with the state from the answer', async () => {
  const { client, requests } = await endpoint(({ params }, response) =>
    json(
      response,
      params['requestState'] === 'second'
        ? { resultType: 'complete', content: [{ type: 'text', text: 'approved' }] }
        : { resultType: 'input_required', requestState: params['requestState'] === undefined ? 'first' : 'second' },
    ),
  )
  expect((await client.callTool('deploy', { to: 'staging' })).content[0]).toMatchObject({ text: 'approved' })
  expect(requests.map(({ params }) => params['arguments'])).toEqual([
    { to: 'staging' },
    { to: 'staging' },
    { to: 'staging' },
  ])
})

test('repeats a call for as long as the server says that it waits, and pauses between the rounds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let rounds = 0
  const waiting = { resultType: 'input_required', requestState: 'waiting' }
  const client = createClient({
    url: 'http://hub/mcp',
    info: { name: 'test', version: '1' },
    send: async (_, { body }) => {
      const { id } = JSON.parse(body) as { id: number }
      const isDone = ++rounds === 4_000
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: isDone ? { content: [] } : waiting })
      const { body: answer, status, headers } = new Response(text, { headers: { 'Content-Type': 'application/json' } })
      return { status, headers, body: answer }
    },
  })
  const startedAt = Date.now()
  const call = client.callTool('deploy', {})
  void (async () => {
    while (rounds < 4_000) await vi.advanceTimersToNextTimerAsync()
  })()
  expect((await call).content).toEqual([])
  expect(Date.now() - startedAt).toBeGreaterThan(3_600_000)
})

test('fails a call whose tool asks a person a question', async () => {
  const { client } = await endpoint((_, response) =>
    json(response, { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } }),
  )
  expect(await faultOf(client.callTool('ask', {}))).toEqual({ is: 'input-required' })
})

test('repeats arguments in headers after a call was refused because they were missing', async () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  const { client, requests } = await endpoint(({ id, method, headers }, response) => {
    if (method === 'tools/list') json(response, { tools: [{ name: 'deploy', inputSchema }] })
    else if (headers['mcp-param-region'] === 'eu') json(response, { content: [] })
    else json(response, undefined, { id, status: 400, error: { code: -32020, message: 'Mcp-Param-Region is missing' } })
  })
  await client.callTool('deploy', { region: 'eu' })
  await client.callTool('deploy', { region: 'eu' })
  expect(requests.map(({ method }) => method)).toEqual(['tools/call', 'tools/list', 'tools/call', 'tools/call'])
})

test('lists all pages, and reads resources', async () => {
  const { client } = await endpoint(({ method, params }, response) => {
    if (method === 'resources/read') json(response, { contents: [{ uri: params['uri'], text: 'hello' }] })
    else if (params['cursor'] === undefined) json(response, { tools: [{ name: 'a' }], resources: [], nextCursor: '2' })
    else json(response, { tools: [{ name: 'b' }], resources: [{ uri: 'test://r' }] })
  })
  expect(await client.listTools()).toEqual([{ name: 'a' }, { name: 'b' }])
  expect(await client.listResources()).toEqual([{ uri: 'test://r' }])
  expect(await client.readResource('test://r')).toEqual([{ uri: 'test://r', text: 'hello' }])
})

test('passes on notices until the hub ends the stream', async () => {
  const { client, requests } = await endpoint(({ id }, response) => {
    const stream = events(response)
    stream({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} })
    stream({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'test://r' } })
    stream(result(id, { resultType: 'complete' }))
  })
  const notices: Notice[] = []
  await client.listen({ resourceSubscriptions: ['test://r'] }, (notice) => notices.push(notice))
  expect(requests[0]?.params['notifications']).toEqual({ resourceSubscriptions: ['test://r'] })
  expect(notices).toEqual([
    { method: 'notifications/subscriptions/acknowledged', params: {} },
    { method: 'notifications/resources/updated', params: { uri: 'test://r' } },
  ])
})

test.each<[string, Answer, Fault]>([
  [
    'a JSON-RPC error',
    ({ id }, response) => json(response, undefined, { id, error: { code: -32951, message: 'no', data: { rule: 1 } } }),
    { is: 'error', error: { code: -32951, message: 'no', data: { rule: 1 } } },
  ],
  [
    'an HTTP error with a JSON-RPC error in its body',
    ({ id }, response) => json(response, undefined, { id, status: 404, error: { code: -32001, message: 'gone' } }),
    { is: 'refused', status: 404, error: { code: -32001, message: 'gone' } },
  ],
  [
    'an HTTP error of a proxy',
    (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    { is: 'refused', status: 502 },
  ],
  [
    'an HTML page',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(),
    { is: 'broken' },
  ],
  [
    'other JSON',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
    { is: 'broken' },
  ],
  [
    'a stream that ends before the answer',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': hello\n\n'),
    { is: 'broken' },
  ],
  [
    'a stream that breaks off',
    (_, response) => {
      events(response)(progress(1, 1))
      setTimeout(() => response.destroy(), 50)
    },
    { is: 'broken' },
  ],
  ['a closed port', (_, response) => void response.destroy(), { is: 'unreachable' }],
])('reports %s as its own kind of failure', async (_, answer, fault) => {
  const { client } = await endpoint(answer)
  expect(await faultOf(client.callTool('any', {}))).toEqual(fault)
})

async function faultOf(call: Promise<unknown>): Promise<Fault | undefined> {
  return call.then(
    () => undefined,
    (error: { fault?: Fault }) => error.fault,
  )
}

async function endpoint(answer: Answer): Promise<{ client: Client; requests: Request[] }> {
  const requests: Request[] = []
  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = JSON.parse(Buffer.concat(await message.toArray()).toString()) as Request
    const request = { id, method, params, headers: message.headers }
    requests.push(request)
    lastIds.set(response, id)
    answer(request, response)
  }
  const server = createServer((message, response) => void serve(message, response))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const url = `http://127.0.0.1:${await listenAnywhere(server)}/mcp`
  return { client: createClient({ url, token: 'secret', info: { name: 'test', version: '1' }, send: fetch }), requests }
}

const lastIds = new WeakMap<ServerResponse, number>()

function json(
  response: ServerResponse,
  answer: unknown,
  failure?: { id: number; status?: number; error: unknown },
): void {
  response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json' })
  const { error } = failure ?? {}
  response.end(
    JSON.stringify(error ? { jsonrpc: '2.0', id: failure?.id, error } : result(lastIds.get(response)!, answer)),
  )
}

function events(response: ServerResponse): (message: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (message) => void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

function progress(progressToken: number, at: number) {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: at } }
}

function result(id: number, answer: unknown) {
  return { jsonrpc: '2.0', id, result: answer }
}
