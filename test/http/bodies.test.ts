/** Bodies that are too large, broken or malicious: the sender gets a clear error, and other clients notice nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bystander, startBystander } from './bystander.ts'
import { type Answer, exchange } from './exchange.ts'
import { connectLegacy, type LegacyConnection } from './legacy-connection.ts'
import { modern, modernSpec } from './modern-request.ts'
import { faultsIn, type OwnHub, startOwnHub } from '../worlds/own-hub.ts'
import { openSocket, postHead } from './raw-socket.ts'

const mebibyte = 1024 * 1024
const limit = 4 * mebibyte

let hub: OwnHub
let bystander: Bystander
let connection: LegacyConnection
beforeAll(async () => {
  hub = await startOwnHub()
  bystander = await startBystander(hub)
  connection = await connectLegacy(hub)
})
afterAll(async () => {
  await bystander.undisturbed()
  await bystander[Symbol.asyncDispose]()
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe('a body over 4 MiB', () => {
  test('is refused with 413 by its declared length, before it is sent', async () => {
    using socket = await openSocket(hub.port)
    await socket.write(postHead(hub.token, { 'Content-Length': String(limit + 1), 'Mcp-Session-Id': connection.id }))
    await expect.poll(() => socket.received).toMatch(/^HTTP\/1\.1 413/)
    expect(socket.received).toContain(String(limit))
  })

  test.each([1, 4, 60])('is refused with 413, which the sender sees although it sends %i MiB more', async (more) => {
    for (const chunked of [false, true]) {
      const headers = chunked ? { 'content-length': undefined, 'transfer-encoding': 'chunked' } : {}
      const { status, body } = await connection.post(' '.repeat(limit + more * mebibyte), headers)
      expect(status).toBe(413)
      expect(body).toMatchObject({ error: { message: expect.stringContaining(String(limit)) } })
    }
    await bystander.undisturbed()
  })

  test('is refused, but a body of exactly 4 MiB is accepted', async () => {
    const { status, body } = await connection.post(padded({ jsonrpc: '2.0', id: 1, method: 'ping' }, limit))
    expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }])
    expect((await connection.post(padded({ jsonrpc: '2.0', id: 1, method: 'ping' }, limit + 1))).status).toBe(413)
  })

  test('is refused with 413 on the HTTP+SSE transport of 2024-11-05 as well', async () => {
    const { status } = await exchange(hub, { path: '/messages?connection=x', body: ' '.repeat(limit + 1) })
    expect(status).toBe(413)
  })
})

describe('a body that is not a message', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  test.each<[string, unknown]>([
    ['nothing', ''],
    ['blanks', '   \n '],
    ['words', 'hello'],
    ['half a message', '{"jsonrpc":"2.0","id":1,"meth'],
    ['two messages', `${JSON.stringify(ping)}${JSON.stringify(ping)}`],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ['a byte order mark', `\uFEFF${JSON.stringify(ping)}`],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d])],
    ['UTF-16', Buffer.from(JSON.stringify(ping), 'utf16le')],
    ['compressed bytes', Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0])],
    ['null', 'null'],
    ['a number', '5'],
    ['a string', '"ping"'],
    ['true', 'true'],
    ['an empty object', {}],
    ['an empty batch', []],
    ['a batch of nonsense', [1, 2, 3]],
    ['a batch in a batch', [[ping]]],
    ['JSON-RPC 1.0', { ...ping, jsonrpc: '1.0' }],
    ['no jsonrpc', { id: 1, method: 'ping' }],
    ['a method that is a number', { ...ping, method: 5 }],
    ['a method that is an object', { ...ping, method: { toString: 'ping' } }],
    ['params that are an array', { ...ping, params: [1] }],
    ['params that are a string', { ...ping, params: 'x' }],
    ['params that are null', { ...ping, params: null }],
    ['_meta that is a string', { ...ping, params: { _meta: 'x' } }],
    ['an id that is null', { ...ping, id: null }],
    ['an id that is true', { ...ping, id: true }],
    ['an id that is an object', { ...ping, id: { toString: 1 } }],
    ['an id that is an array', { ...ping, id: [1] }],
    ['an id that is a fraction', { ...ping, id: 1.5 }],
    ['an id of a million characters', { ...ping, id: 'x'.repeat(1_000_000) }],
    ['an integer that a double cannot hold', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
    ['an infinite id', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}'],
    ['100,000 nested arrays', nested(100_000)],
    ['2,000,000 arrays that never close', '['.repeat(2_000_000)],
    ['100,000 nested objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['a response without a result', { jsonrpc: '2.0', id: 1 }],
    ['a response whose error is not an object', { jsonrpc: '2.0', id: 1, error: 'no' }],
  ])('is refused with 400: %s', async (_, body) => {
    const answers = [await connection.post(body), await exchange(hub, { ...modernSpec('ping', {}), body })]
    for (const answer of answers) expectClear(answer)
    await bystander.undisturbed()
    expect(await connection.request('ping')).toMatchObject({ result: {} })
  })

  test('is not mistaken for one with brackets inside a text', async () => {
    const { status } = await connection.post({ ...ping, params: { text: '[{"\\'.repeat(10_000) } })
    expect(status).toBe(200)
  })
})

describe('a name that every JavaScript object has', () => {
  test('is an unknown method in either era', async () => {
    for (const method of ['constructor', '__proto__', 'toString', 'valueOf', '', 'x'.repeat(1_000_000)]) {
      const { body } = await connection.post({ jsonrpc: '2.0', id: 1, method })
      expect(body).toMatchObject({ id: 1, error: { code: -32601 } })
      expect(JSON.stringify(body).length).toBeLessThan(1_000)
      if (method === '' || method.length > 8_000) continue
      expect(await modern(hub, method)).toMatchObject({ status: 404 })
    }
  })

  test('does no harm as a key of the message, of params, of arguments and of _meta', async () => {
    const bodies = [
      '{"__proto__":{"isAdmin":true},"jsonrpc":"2.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_status","arguments":{"__proto__":{"a":1}}}}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":null,"constructor":{"prototype":{}}}}',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"__proto__":{"progressToken":1}}}}',
      '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"__proto__":null},"argument":{}}}',
    ]
    for (const body of bodies) {
      const { status, body: answered } = await connection.post(body)
      expect([status, answered]).toMatchObject([200, { jsonrpc: '2.0', id: 1 }])
    }
    await bystander.undisturbed()
  })
})

test('an id is returned exactly as it was sent', async () => {
  const ids = [
    0,
    -1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    '',
    '0',
    'ünïcödé 🚂',
    '__proto__',
    'x'.repeat(256),
  ]
  for (const id of ids) {
    expect((await connection.post({ jsonrpc: '2.0', id, method: 'ping' })).body).toEqual({
      jsonrpc: '2.0',
      id,
      result: {},
    })
    expect((await modern(hub, 'tools/list', {}, { id })).body).toMatchObject({ id, result: {} })
  }
})

/** The answer names the fault, with a code that says it is the sender's. */
function expectClear({ status, body }: Answer): void {
  expect(status).toBe(400)
  expect(body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringMatching(/\w+ \w+/) } })
  const { error } = body as { error: { code: number } }
  expect([-32700, -32600, -32602]).toContain(error.code)
}

function padded(message: object, bytes: number): string {
  const text = JSON.stringify(message)
  return text + ' '.repeat(bytes - text.length)
}
