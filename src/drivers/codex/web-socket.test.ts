import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/fixtures/until.ts'
import { openWebSocket } from './web-socket.ts'

async function connected() {
  const server = createServer()
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upgraded = Promise.withResolvers<Socket>()
  server.on('upgrade', ({ headers }, socket: Socket) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.on('error', () => {})
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    upgraded.resolve(socket)
  })
  const { port } = server.address() as AddressInfo
  const client = await openWebSocket({ url: `ws://127.0.0.1:${port}`, headers: {}, timeoutMs: 10_000 })
  onTestFinished(() => client[Symbol.dispose]())
  return { client, server: await upgraded.promise, messages: client.messages() }
}

function frame(opcode: number, body: Buffer, isLast = true): Buffer {
  const head = Buffer.alloc(10)
  head[0] = (isLast ? 0x80 : 0) | opcode
  head[1] = 127
  head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

test('messages in one part and in several are read in order, and a ping is answered', async () => {
  const { server, messages } = await connected()
  server.write(frame(1, Buffer.from('one')))
  for (const byte of frame(1, Buffer.from('tw'), false)) server.write(Buffer.from([byte]))
  server.write(Buffer.concat([frame(9, Buffer.from('p')), frame(0, Buffer.from('o')), frame(8, Buffer.alloc(0))]))
  const read: string[] = []
  for await (const message of messages) read.push(message.toString())
  expect(read).toEqual(['one', 'two'])
  const [pong] = (await once(server, 'data')) as [Buffer]
  expect(pong.subarray(0, 2)).toEqual(Buffer.from([0x8a, 0x81]))
})

test('a message is sent as it is, whatever its length', async () => {
  const { client, server } = await connected()
  const texts = ['a', 'b'.repeat(200), 'ü'.repeat(40_000)]
  for (const text of texts) client.send(text)
  let got = Buffer.alloc(0)
  server.on('data', (chunk: Buffer) => (got = Buffer.concat([got, chunk])))
  await until(() => got.length >= 6 + 1 + (8 + 200) + (14 + 80_000))
  expect(got.subarray(0, 2)).toEqual(Buffer.from([0x81, 0x81]))
  expect(got[6]! ^ got[2]!).toBe('a'.charCodeAt(0))
})

test('a message that is too long ends the connection before it is read', async () => {
  const { server, messages } = await connected()
  server.write(frame(1, Buffer.alloc(0)).fill(0xff, 3, 10))
  await expect(messages.next()).rejects.toThrow(/more than 33554432 bytes/)
})

test('a message in endless parts ends the connection, though they are empty', async () => {
  const { server, messages } = await connected()
  const part = Buffer.from([0, 0])
  server.write(Buffer.concat([Buffer.from([1, 0]), ...Array.from({ length: 200_000 }, () => part)]))
  await expect(messages.next()).rejects.toThrow(/more than 33554432 bytes/)
})

test('others have their turn while a server sends pings without end', async () => {
  const { server, messages } = await connected()
  const pings = 100_000
  server.write(
    Buffer.concat([...Array.from({ length: pings }, () => Buffer.from([0x89, 0])), frame(1, Buffer.from('a'))]),
  )
  server.resume()
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await messages.next()
  clearImmediate(next)
  expect(turns).toBeGreaterThanOrEqual(pings / 1_000)
})

test('a server that sends without end is read only as fast as its messages are taken', async () => {
  const { server, messages } = await connected()
  const count = 1_000
  const body = Buffer.alloc(64 * 1024, 'x')
  for (let n = 0; n < count; n++) server.write(frame(1, body))
  await messages.next()
  let left = -1
  await until(() => left === (left = server.writableLength))
  expect(left).toBeGreaterThan(30 * 1024 * 1024)
  for (let n = 1; n < count; n++) expect((await messages.next()).value).toHaveLength(body.length)
})
