import { expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '../base/redact.ts'
import { answerJson, serveHttp } from '../../test/worlds/http-upstream.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { refusalError } from './http-refusal.ts'
import { createHttpTransport } from './http-transport.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { NotSent } from './transport.ts'

const call = request(5, 'tools/call')

test('the error for a refused token says what the upstream demands, and does not contain the token', async () => {
  const upstream = await serveHttp(({ response }) =>
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="trains"' }).end('s3cret'),
  )
  const { transport } = await open({ url: `${upstream.url}?key=s3cret`, headers: { authorization: 'Bearer s3cret' } })
  const sent = transport.send(call)
  await expect(sent).rejects.toMatchObject({
    message:
      `The upstream at ${upstream.origin} says that the token is missing or wrong (401, WWW-Authenticate: Bearer realm="trains"). ` +
      'In the "headers" of the connector, give Authorization the value "Bearer ${MY_TOKEN}", and set MY_TOKEN for the hub.',
    data: { status: 401 },
  })
})

test('the advice after a refused token is not redacted as a secret', () => {
  const { message } = refusalError({ origin: 'https://example.org', status: 401, headers: {}, text: '' })
  expect(createRedactor().text(message)).toBe(message)
})

test('a refusal that is nested too deep is reported by its status alone', async () => {
  const upstream = await serveHttp(({ response }) =>
    response.writeHead(400).end(`{"error":{"code":-1,"message":"no","data":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`),
  )
  const { transport } = await open({ url: upstream.url })
  await expect(transport.send(call)).rejects.toThrow('answered with status 400')
})

test('a refused token is renewed once for each message, and the message is sent again', async () => {
  const upstream = await serveHttp((visit) => {
    if (visit.headers.authorization === 'Bearer new') answerJson(visit, {})
    else visit.response.writeHead(401, { 'www-authenticate': 'Bearer scope="all"' }).end()
  })
  const demands: unknown[] = []
  const auth = {
    token: 'old',
    async renew(challenge: unknown) {
      demands.push(challenge)
      auth.token = 'new'
    },
  }
  const { transport, heard } = await open({ url: upstream.url, auth })
  await transport.send(call)
  await heard.result(5)
  expect(demands).toEqual([{ status: 401, zone: 'machine', demand: 'Bearer scope="all"' }])

  const stubborn = await serveHttp(({ response }) => response.writeHead(401).end())
  const refused = await open({ url: stubborn.url, auth })
  await expect(refused.transport.send(call)).rejects.toThrow('the token is missing or wrong')
  expect(stubborn.visits).toHaveLength(2)
})

test('a message that needs a login of a person first was not sent', async () => {
  const upstream = await serveHttp(({ response }) => response.writeHead(401).end())
  const auth = { token: undefined, renew: () => Promise.reject(new Error('Log in at https://login.example.')) }
  const { transport } = await open({ url: upstream.url, auth })
  const sent = transport.send(call)
  await expect(sent).rejects.toBeInstanceOf(NotSent)
  await expect(sent).rejects.toThrow('Log in at https://login.example.')
})

test.for([
  { says: 'a refusal', status: 401, headers: {} },
  { says: 'a redirect', status: 307, headers: { location: '/mcp' } },
])('$says whose body never ends is cut and delays nothing', async ({ status, headers }) => {
  const cut = Promise.withResolvers<void>()
  const upstream = await serveHttp((visit) => {
    if (upstream.visits.length > 1) return answerJson(visit, {})
    visit.response.on('close', () => cut.resolve())
    visit.response.writeHead(status, headers).write('…')
  })
  const { transport, heard } = await open({ url: upstream.url, auth: { token: undefined, renew: async () => {} } })
  await transport.send(call)
  await heard.result(5)
  await cut.promise
})

test.for([
  { says: 404, body: 'Session not found' },
  {
    says: 400,
    body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
  },
])('a connection that the upstream forgot ($says) is reported as forgotten, once', async ({ says, body }) => {
  const upstream = await serveHttp((visit) => {
    if (visit.message?.method === 'initialize') answerJson(visit, {}, { 'mcp-session-id': `${upstream.visits.length}` })
    else visit.response.writeHead(says).end(body)
  })
  const { transport, heard } = await open({ url: upstream.url })
  await transport.send(request(1, 'initialize'))
  const lost = await Promise.allSettled([transport.send(call), transport.send({ ...call, id: 6 })])
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(heard.timesForgotten()).toBe(1)
  await transport.send(request(2, 'initialize'))
  await heard.result(2)
  expect(upstream.visits.at(-1)?.headers['mcp-session-id']).toBeUndefined()
})

test('a refusal that is a JSON-RPC answer counts as the answer, even if it names another id', async () => {
  const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2025-11-25'] } }
  const upstream = await serveHttp(({ response }) =>
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
  )
  const { transport, heard } = await open({ url: upstream.url })
  await transport.send(call)
  expect(await heard.result(5)).toEqual(error)
})

test('redirects are followed within the origin, with method and body, and nowhere else', async () => {
  const elsewhere = await serveHttp((visit) => answerJson(visit, {}))
  const upstream = await serveHttp((visit) => {
    const { path, response } = visit
    if (path === '/mcp') response.writeHead(307, { location: '/mcp/' }).end()
    else if (path === '/mcp/') answerJson(visit, { method: visit.method })
    else response.writeHead(308, { location: `${elsewhere.url}?key=s3cret` }).end()
  })
  const near = await open({ url: upstream.url })
  await near.transport.send(call)
  expect(await near.heard.result(5)).toEqual({ method: 'POST' })

  const far = await open({ url: `${upstream.origin}/other` })
  await expect(far.transport.send(call)).rejects.toThrow(
    `redirects to ${elsewhere.origin} (308). If that is right, put it into "base_url"`,
  )
  expect(elsewhere.visits).toHaveLength(0)
  expect(upstream.visits.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/other'])
})

test.for([
  { status: 404, body: '<html>', sentence: 'has nothing at this path (404). Correct "base_url"' },
  { status: 503, body: 'warming up', sentence: 'is busy (503), and asks to retry after 7: warming up.' },
  { status: 500, body: '<html>', sentence: 'answered with status 500.' },
  { status: 418, body: 'I am\na teapot', sentence: 'answered with status 418: I am a teapot.' },
])('status $status is reported in a sentence', async ({ status, body, sentence }) => {
  const upstream = await serveHttp(({ response }) => response.writeHead(status, { 'retry-after': '7' }).end(body))
  const { transport } = await open({ url: upstream.url })
  await expect(transport.send(call)).rejects.toThrow(sentence)
})

test.for(['ftp://example.org', 'not a url'])('refuses %s as the address of an upstream', async (url) => {
  await expect(open({ url })).rejects.toThrow('is not an http:// or https:// URL')
})

test('a header that cannot be sent is refused without being quoted', async () => {
  const { transport } = await open({ url: 'http://127.0.0.1:9', headers: { 'x-key': 's3cret\nx' } })
  const sent = transport.send(call)
  await expect(sent).rejects.toBeInstanceOf(NotSent)
  await expect(sent).rejects.not.toThrow('s3cret')
})

async function open(options: Partial<HttpTransportOptions> & Pick<HttpTransportOptions, 'url'>) {
  const transport = createHttpTransport({ headers: {}, ...options })
  onTestFinished(() => transport.close())
  const heard = hearing()
  await transport.start(heard)
  return { transport, heard }
}
