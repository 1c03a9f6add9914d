import { expect, onTestFinished, test } from 'vitest'
import type { HttpUpstream, Visit } from '../../test/worlds/http-upstream.ts'
import { answerJson, notice, openStream, serveHttp } from '../../test/worlds/http-upstream.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { until } from '../../test/fixtures/until.ts'
import { notification } from '../mcp/mcp.ts'
import { createHttpTransport } from './http-transport.ts'

test('messages that belong to no request arrive on a stream that opens after the handshake', async () => {
  const upstream = await serveStream((visit) => openStream(visit)({ data: notice('notifications/tools/list_changed') }))
  const { heard } = await connect(upstream)
  await until(() => heard.messages.some(({ during, message }) => during === undefined && 'method' in message))
})

test('a stream that breaks off is resumed after its last event', async () => {
  const upstream = await serveStream((visit) => {
    const from = Number(visit.headers['last-event-id'] ?? 0)
    openStream(visit)({ id: String(from + 1), data: notice('notifications/message', { count: from + 1 }) })
    if (from < 2) visit.response.end()
  })
  const { heard } = await connect(upstream)
  const counts = () => heard.messages.flatMap(({ message }) => ('method' in message ? [message['params']] : []))
  await until(() => counts().length === 3)
  expect(counts()).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
})

test('a stream that is silent for too long is opened again, and one that sends heartbeats is not', async () => {
  const upstream = await serveStream((visit) => {
    openStream(visit)({ id: 'x', data: notice('notifications/message') })
    if (streams(upstream).length < 2) return
    const timer = setInterval(() => {
      visit.response.write(': alive\n\n')
      signsOfLife++
    }, 20)
    visit.response.on('close', () => clearInterval(timer))
  })
  let signsOfLife = 0
  await connect(upstream, 200)
  const second = await until(() => streams(upstream)[1])
  expect(second.headers['last-event-id']).toBe('x')
  expect(streams(upstream)[0]?.response.destroyed).toBe(true)
  await until(() => signsOfLife > 30)
  expect(streams(upstream)).toHaveLength(2)
})

test('a server that still has the broken stream open, or is just starting, is asked again', async () => {
  const statuses = [409, 503]
  const upstream = await serveStream((visit) => {
    const status = statuses.shift()
    if (status === undefined) openStream(visit)({ data: notice('notifications/message') })
    else visit.response.writeHead(status).end()
  })
  const { heard } = await connect(upstream)
  await until(() => heard.messages.length === 2)
  expect(heard.timesForgotten()).toBe(0)
})

test('a server without such a stream is not asked again, and keeps its connection', async () => {
  const upstream = await serveStream(({ response }) => response.writeHead(404).end('Cannot GET /mcp'))
  const { transport, heard } = await connect(upstream)
  await until(() => streams(upstream).length === 1)
  await transport.send(request(2, 'tools/call'))
  await heard.result(2)
  expect(heard.timesForgotten()).toBe(0)
  expect(streams(upstream)).toHaveLength(1)
})

test('a server that had the stream and no longer knows the connection has forgotten it', async () => {
  const upstream = await serveStream((visit) => {
    if (streams(upstream).length > 1) return visit.response.writeHead(404).end()
    openStream(visit)({ data: notice('notifications/message') })
    visit.response.end()
  })
  const { heard } = await connect(upstream)
  await until(() => heard.timesForgotten() === 1)
})

test('an answer that cannot be resumed after several attempts is lost', async () => {
  const upstream = await serveHttp((visit) => {
    if (visit.method === 'GET' && streams(upstream).length % 2 === 0) return visit.response.destroy()
    if (visit.method === 'GET') return breakOff(visit)
    openStream(visit)({ id: '1', data: notice('notifications/progress') })
    visit.response.end()
  })
  const { transport, heard } = await open(upstream)
  await transport.send(request(1, 'tools/call'))
  const [loss] = await until(() => heard.losses.length > 0 && heard.losses)
  expect(loss?.reason).toContain('the stream broke off and could not be resumed')
  expect(streams(upstream)).toHaveLength(4)
})

const longId = 'x'.repeat(100_000)

test('a long event id on the stream of notices ends the connection and is not sent back', async () => {
  const upstream = await serveStream((visit) =>
    openStream(visit)({ id: longId, data: notice('notifications/tools/list_changed') }),
  )
  const { heard } = await connect(upstream)
  expect(await until(() => heard.ends[0])).toContain('An event id must be a text of at most 8192 characters')
  expect(streams(upstream)).toHaveLength(1)
})

test('a long event id on the stream of an answer loses the answer and is not sent back', async () => {
  const upstream = await serveHttp((visit) => {
    openStream(visit)({ id: longId, data: notice('notifications/progress') })
    visit.response.end()
  })
  const { transport, heard } = await open(upstream)
  await transport.send(request(1, 'tools/call'))
  const [loss] = await until(() => heard.losses.length > 0 && heard.losses)
  expect(loss?.reason).toContain('An event id must be a text of at most 8192 characters')
  expect(streams(upstream)).toHaveLength(0)
})

test('a long event id on a resumed stream loses the answer', async () => {
  const upstream = await serveHttp((visit) => {
    const isResumed = visit.method === 'GET'
    openStream(visit)({ id: isResumed ? longId : '1', data: notice('notifications/progress') })
    visit.response.end()
  })
  const { transport, heard } = await open(upstream)
  await transport.send(request(1, 'tools/call'))
  const [loss] = await until(() => heard.losses.length > 0 && heard.losses)
  expect(loss?.reason).toContain('An event id must be a text of at most 8192 characters')
  expect(streams(upstream)).toHaveLength(1)
})

/** Opens the stream normally, then breaks it off. */
function breakOff(visit: Visit): void {
  openStream(visit)
  visit.response.write(': here\n\n', () => visit.response.destroy())
}

const streams = (upstream: HttpUpstream) => upstream.visits.filter(({ method }) => method === 'GET')

function serveStream(stream: (visit: Visit) => unknown): Promise<HttpUpstream> {
  return serveHttp((visit) => {
    if (visit.method === 'GET') return stream(visit)
    if (visit.message?.id !== undefined) return answerJson(visit, {}, { 'mcp-session-id': 'abc' })
    visit.response.writeHead(202).end()
  })
}

async function connect(upstream: HttpUpstream, heartbeatMs?: number) {
  const opened = await open(upstream, heartbeatMs)
  await opened.transport.send(request(1, 'initialize'))
  opened.transport.agree('2025-11-25')
  await opened.transport.send(notification('notifications/initialized'))
  return opened
}

async function open({ url }: HttpUpstream, heartbeatMs?: number) {
  const transport = createHttpTransport({ url, headers: {}, ...(heartbeatMs !== undefined && { heartbeatMs }) })
  onTestFinished(() => transport.close())
  const heard = hearing()
  await transport.start(heard)
  return { transport, heard }
}
