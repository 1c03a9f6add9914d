import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { answerJson, notice, openStream, resultOf, serveHttp } from '../../test/worlds/http-upstream.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { until } from '../../test/fixtures/until.ts'
import { notification } from '../mcp/mcp.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { createHttpTransport } from './http-transport.ts'
import { NotSent } from './transport.ts'

test('a legacy connection sends its id and revision once they are known, and is deleted at the end', async () => {
  const upstream = await serveHttp((visit) => {
    if (visit.message?.method === 'initialize') answerJson(visit, {}, { 'mcp-session-id': 'abc' })
    else if (visit.message?.id !== undefined) answerJson(visit, { fine: true })
    else visit.response.writeHead(visit.method === 'GET' ? 405 : 202).end()
  })
  const { transport, heard } = await open({ url: upstream.url, headers: { 'X-Key': 'ours' } })
  await transport.send(request(1, 'initialize'))
  await heard.result(1)
  transport.agree('2025-11-25')
  await transport.send(notification('notifications/initialized'))
  await transport.send(request(2, 'tools/call'))
  expect(await heard.result(2)).toEqual({ fine: true })
  await until(() => upstream.visits.some(({ method }) => method === 'GET'))
  await transport.close()

  const seen = upstream.visits.map(({ method, message, headers }) => [
    message?.method ?? method,
    headers['mcp-session-id'],
    headers['mcp-protocol-version'],
    headers['x-key'],
  ])
  expect(seen[0]).toEqual(['initialize', undefined, undefined, 'ours'])
  expect(seen.slice(1).sort(([one], [other]) => String(one).localeCompare(String(other)))).toEqual([
    ['DELETE', 'abc', '2025-11-25', 'ours'],
    ['GET', 'abc', '2025-11-25', 'ours'],
    ['notifications/initialized', 'abc', '2025-11-25', 'ours'],
    ['tools/call', 'abc', '2025-11-25', 'ours'],
  ])
  expect(heard.ends).toEqual([])
})

test('a connection whose id is too long is refused', async () => {
  const upstream = await serveHttp((visit) => answerJson(visit, {}, { 'mcp-session-id': 'x'.repeat(10_000) }))
  const { transport, heard } = await open({ url: upstream.url })
  await expect(transport.send(request(1, 'initialize'))).rejects.toThrow(
    'The id of the connection must be a text of at most 8192 characters',
  )
  await transport.close()
  expect(heard.messages).toEqual([])
  expect(upstream.visits.map(({ method }) => method)).toEqual(['POST'])
})

test('messages that come with an answer are passed on with its request, in order, in chunks of any size', async () => {
  const upstream = await serveHttp(async (visit) => {
    const events = [notice('notifications/progress', { message: 'grüße 🚂' }), resultOf(visit, { text: '渡る' })]
    visit.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const byte of Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))) {
      visit.response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    visit.response.end()
  })
  const { transport, heard } = await open({ url: upstream.url })
  const sent = request(7, 'tools/call')
  await transport.send(sent)
  expect(await heard.result(7)).toEqual({ text: '渡る' })
  expect(heard.messages[0]).toEqual({
    message: notice('notifications/progress', { message: 'grüße 🚂' }),
    during: sent,
  })
  expect(heard.losses).toEqual([])
})

test('at 2026-07-28 each request has its headers, no stream opens by itself, and closing the answer cancels the request', async () => {
  let isGone = false
  const upstream = await serveHttp((visit) => {
    visit.response.on('close', () => (isGone = true))
    openStream(visit)({ data: notice('notifications/subscriptions/acknowledged') })
  })
  const { transport, heard } = await open({ url: upstream.url })
  transport.agree('2026-07-28')
  const listen = request('l', 'subscriptions/listen')
  await transport.send(listen, {
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
  })
  await until(() => heard.messages.length === 1)
  expect(heard.messages[0]?.during).toEqual(listen)
  expect(upstream.visits[0]?.headers).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  })
  transport.abandon('l')
  await until(() => isGone)
  expect(upstream.visits).toHaveLength(1)
  expect(heard.losses).toEqual([])
})

test('a request that is abandoned before its answer starts does not keep its sender waiting', async () => {
  const upstream = await serveHttp(() => {})
  const { transport } = await open({ url: upstream.url })
  const sent = transport.send(request(1, 'tools/call'))
  await until(() => upstream.visits.length === 1)
  transport.abandon(1)
  await sent
})

test('an answer that breaks off is resumed after its last event', async () => {
  const upstream = await serveHttp((visit) => {
    const write = openStream(visit)
    if (visit.method === 'POST') {
      write({ id: 'a-1', data: notice('notifications/progress', { progress: 1 }) })
      visit.response.write('id: a-2\ndata: {"jsonrpc":"2.0","id":1,"res', () => visit.response.destroy())
    } else {
      write({ id: 'a-2', data: notice('notifications/progress', { progress: 2 }) })
      write({ id: 'a-3', data: { jsonrpc: '2.0', id: 1, result: { fine: true } } })
    }
  })
  const { transport, heard } = await open({ url: upstream.url })
  transport.agree('2025-11-25')
  const sent = request(1, 'tools/call')
  await transport.send(sent)
  expect(await heard.result(1)).toEqual({ fine: true })
  expect(upstream.visits[1]?.headers['last-event-id']).toBe('a-1')
  expect(heard.messages.map(({ during }) => during)).toEqual([sent, sent, sent])
  expect(heard.losses).toEqual([])
})

test('a server that ends its streams early and names a retry time is asked again until it answers', async () => {
  const upstream = await serveHttp((visit) => {
    const write = openStream(visit)
    visit.response.write('retry: 20\n')
    write({ id: String(upstream.visits.length) })
    if (upstream.visits.length === 4) write({ data: { jsonrpc: '2.0', id: 1, result: {} } })
    visit.response.end()
  })
  const { transport, heard } = await open({ url: upstream.url })
  transport.agree('2025-11-25')
  await transport.send(request(1, 'tools/call'))
  await heard.result(1)
  expect(upstream.visits.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2', '3'])
})

test('an answer that breaks off and cannot be resumed is lost', async () => {
  const upstream = await serveHttp((visit) => {
    const write = openStream(visit)
    write({ data: notice('notifications/progress') })
    visit.response.write('data: {"jsonrpc"', () => visit.response.destroy())
  })
  const { transport, heard } = await open({ url: upstream.url })
  await transport.send(request(1, 'tools/call'))
  const [loss] = await until(() => heard.losses.length > 0 && heard.losses)
  expect(loss?.id).toBe(1)
  expect(loss?.reason).toContain('closed the connection before its answer was complete')
})

test('a response without the answer means that the answer is lost, and its content is reported', async () => {
  const upstream = await serveHttp((visit) => {
    visit.response.writeHead(200, { 'content-type': 'application/json' })
    visit.response.end(visit.message?.id === 1 ? '<html>' : '{"jsonrpc":"2.0","id":99,"result":{}}')
  })
  const { transport, heard } = await open({ url: upstream.url })
  await transport.send(request(1, 'tools/call'))
  await transport.send(request(2, 'tools/call'))
  await until(() => heard.losses.length === 2)
  expect(heard.noise).toEqual(['not JSON: <html>'])
  expect(heard.losses.map(({ reason }) => reason)).toEqual(Array(2).fill('the response does not contain the answer'))
})

test('a server that answers twice and does not end its stream is read twice and keeps no socket', async () => {
  let isGone = false
  const upstream = await serveHttp((visit) => {
    visit.response.on('close', () => (isGone = true))
    const write = openStream(visit)
    for (let time = 0; time < 2; time++) write({ data: resultOf(visit, {}) })
  })
  const { transport, heard } = await open({ url: upstream.url })
  await transport.send(request(1, 'tools/call'))
  await until(() => heard.answers(1) === 2)
  await until(() => isGone)
  expect(heard.losses).toEqual([])
})

test.for(['application/json', 'text/event-stream'])('a flood of %s ends only its own request', async (type) => {
  const upstream = await serveHttp((visit) => {
    if (visit.message?.method !== 'flood') return answerJson(visit, {})
    visit.response.writeHead(200, { 'content-type': type })
    visit.response.write('data: ')
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const pour = () => {
      while (!visit.response.destroyed && visit.response.write(chunk));
    }
    visit.response.on('drain', pour)
    pour()
  })
  const { transport, heard } = await open({ url: upstream.url, maxMessageBytes: 4 * 1024 * 1024 })
  const before = process.memoryUsage().rss
  await transport.send(request(1, 'flood'))
  const [loss] = await until(() => heard.losses.length > 0 && heard.losses)
  expect(loss).toEqual({ id: 1, reason: 'The server answered with more than 4194304 bytes in one message.' })
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  await transport.send(request(2, 'tools/call'))
  await heard.result(2)
})

test('a message over a socket that was never accepted was not sent', async () => {
  const upstream = await serveHttp((visit) => visit.response.destroy())
  const { transport } = await open({ url: upstream.url })
  const cut = transport.send(request(1, 'tools/call'))
  await expect(cut).rejects.toThrow('closed the connection')
  await expect(cut).rejects.not.toBeInstanceOf(NotSent)
  await upstream.stop()
  const refused = transport.send(request(2, 'tools/call'))
  await expect(refused).rejects.toBeInstanceOf(NotSent)
  await expect(refused).rejects.toThrow(`The upstream at ${upstream.origin} refuses connections`)
})

test('fifty connections that were opened and closed leave no descriptor, and no socket at the server', async () => {
  const upstream = await serveHttp((visit) => answerJson(visit, {}, { 'mcp-session-id': 'abc' }))
  await openAndClose()
  const before = readdirSync('/proc/self/fd').length
  for (let round = 0; round < 50; round++) await openAndClose()
  await until(() => readdirSync('/proc/self/fd').length <= before)
  expect(upstream.visits.filter(({ method }) => method === 'DELETE')).toHaveLength(51)

  async function openAndClose(): Promise<void> {
    const { transport, heard } = await open({ url: upstream.url })
    await transport.send(request(1, 'initialize'))
    await heard.result(1)
    await transport.close()
  }
})

async function open(options: Partial<HttpTransportOptions> & Pick<HttpTransportOptions, 'url'>) {
  const transport = createHttpTransport({ headers: {}, ...options })
  onTestFinished(() => transport.close())
  const heard = hearing()
  await transport.start(heard)
  return { transport, heard }
}

test('an upstream that accepts no notifications is sent no more of them after a thousand', async () => {
  const upstream = await serveHttp(() => {})
  const transport = createHttpTransport({ url: upstream.url, headers: {} })
  onTestFinished(() => transport.close())
  await transport.start(hearing())
  const sent = Array.from({ length: 1_100 }, () =>
    transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' }),
  )
  for (const each of sent) each.catch(() => {})
  await expect(sent.at(-1)).rejects.toThrow('has not accepted 1000 messages')
})
