import { expect, onTestFinished, test } from 'vitest'
import type { Visit } from '../../test/worlds/http-upstream.ts'
import { notice, openStream, resultOf, serveHttp } from '../../test/worlds/http-upstream.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { until } from '../../test/fixtures/until.ts'
import { createSseTransport } from './sse-transport.ts'
import { NotSent } from './transport.ts'

test('messages are posted to the address from the stream, and the answers arrive on the stream', async () => {
  const { url, visits } = await servePair()
  const { transport, heard } = await open(url, { headers: { 'x-key': 'ours' } })
  await transport.send(request(1, 'tools/call', { text: 'grüße' }))
  expect(await heard.result(1)).toEqual({ text: 'grüße' })
  expect(heard.messages[0]?.during).toBeUndefined()
  expect(visits.map(({ method, path, headers }) => [method, path, headers['x-key']])).toEqual([
    ['GET', '/sse', 'ours'],
    ['POST', '/messages?sessionId=1', 'ours'],
  ])
})

test('a stream that breaks off means a forgotten connection, and the next message opens another', async () => {
  const upstream = await servePair()
  const { transport, heard } = await open(upstream.url)
  upstream.cut()
  await until(() => heard.timesForgotten() === 1)
  await transport.send(request(1, 'initialize'))
  await heard.result(1)
  expect(upstream.visits.at(-1)?.path).toBe('/messages?sessionId=2')
  expect(heard.timesForgotten()).toBe(1)
})

test('a silent stream is dead if it has sent heartbeats before, and alive if it never has', async () => {
  const quiet = await servePair()
  const lively = await servePair((visit) => visit.response.write(': ping\n\n'))
  const [patient, worried] = await Promise.all([
    open(quiet.url, { heartbeatMs: 100 }),
    open(lively.url, { heartbeatMs: 100 }),
  ])
  await until(() => worried.heard.timesForgotten() === 1)
  expect(patient.heard.timesForgotten()).toBe(0)
})

test('an address at another origin is not trusted', async () => {
  const upstream = await servePair(undefined, 'http://elsewhere.example/messages')
  const heard = hearing()
  await expect(open(upstream.url, {}, heard)).rejects.toThrow(
    'wants messages at http://elsewhere.example, but the hub trusts only its own origin',
  )
  expect(heard.timesForgotten()).toBe(0)
})

test.each([
  ['a long address', `/messages?${'x'.repeat(100_000)}`],
  ['an address that is long once it is encoded', `/messages?${'é'.repeat(8_000)}`],
])('%s is not posted to', async (_, address) => {
  const upstream = await servePair(undefined, address)
  await expect(open(upstream.url)).rejects.toThrow('The address for messages must be a text of at most 8192 characters')
  expect(upstream.visits.map(({ method }) => method)).toEqual(['GET'])
})

test('a long event id ends the connection', async () => {
  const upstream = await servePair(({ response }) => response.write(`id: ${'x'.repeat(100_000)}\ndata:\n\n`))
  const { heard } = await open(upstream.url)
  await until(() => heard.timesForgotten() === 1)
})

test('a header that cannot be sent is reported', async () => {
  await expect(open('http://127.0.0.1:9/sse', { headers: { 'x-key': 'a\nb' } })).rejects.toBeInstanceOf(NotSent)
})

test('a response that is not an event stream is reported', async () => {
  const missing = await serveHttp(({ response }) => response.writeHead(404).end(), { path: '/sse' })
  await expect(open(missing.url)).rejects.toThrow('has nothing at this path (404)')
  const page = await serveHttp(({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end(), {})
  await expect(open(page.url)).rejects.toThrow('sends no event stream, but "text/html"')
  const mute = await serveHttp((visit) => {
    openStream(visit)({ data: notice('notifications/message') })
    visit.response.end()
  })
  await expect(open(mute.url)).rejects.toThrow('closed its stream at once')
})

test('closing ends the stream, also while it waits for its address', async () => {
  const upstream = await serveHttp((visit) => openStream(visit)({ event: 'ping' }))
  const transport = createSseTransport({ url: upstream.url, headers: {} })
  const refused = expect(transport.start(hearing())).rejects.toBeInstanceOf(NotSent)
  const stream = await until(() => upstream.visits[0]?.response)
  await transport.close()
  await refused
  await until(() => stream.destroyed)
})

async function servePair(then?: (visit: Visit) => void, address?: string) {
  let stream: ReturnType<typeof openStream> = () => {}
  let count = 0
  return serveHttp(
    (visit) => {
      if (visit.method === 'GET') {
        stream = openStream(visit)
        count++
        visit.response.write(`event: endpoint\ndata: ${address ?? `/messages?sessionId=${count}`}\n\n`)
        then?.(visit)
      } else {
        visit.response.writeHead(202).end('Accepted')
        stream({ event: 'message', data: resultOf(visit, visit.message?.params) })
      }
    },
    { path: '/sse' },
  )
}

async function open(
  url: string,
  options: { headers?: Record<string, string>; heartbeatMs?: number } = {},
  heard = hearing(),
) {
  const transport = createSseTransport({ url, headers: {}, ...options })
  onTestFinished(() => transport.close())
  await transport.start(heard)
  return { transport, heard }
}
