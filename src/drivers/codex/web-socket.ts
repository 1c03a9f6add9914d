/**
 * A WebSocket client that can be slowed down: it reads from the server only as fast as its messages are taken. That of
 * Node takes everything that comes, of any size, and keeps it in memory.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'

export interface WebSocketClient extends Disposable {
  readonly isOpen: boolean
  send(text: string): void
  /** The messages in order, until the connection ends. Throws if one is too long. */
  messages(): AsyncGenerator<Buffer, void>
}

export interface WebSocketAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

const longestMessageBytes = 32 * 1024 * 1024
/** What a part of a message takes besides its bytes. */
const partBytes = 256
/** Then the rest of the hub has its turn. Pings and empty parts are no messages, so nothing else slows them down. */
const framesAtOnce = 1_000
/** A server that reads nothing gets no more than this. */
const mostUnsentBytes = 16 * 1024 * 1024
/** The key that the protocol appends to ours. */
const protocolKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const opcodes = { more: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const
const lastFrame = 0x80
const maskedFrame = 0x80

export async function openWebSocket({ url, headers, timeoutMs }: WebSocketAddress): Promise<WebSocketClient> {
  const { socket, head } = await upgrade({ url, headers, timeoutMs })
  socket.setNoDelay(true)
  // The end of the messages reports a failure.
  socket.on('error', () => {})
  const send = (opcode: number, body: Buffer): void => {
    if (socket.writable) socket.write(frameOf(opcode, body))
  }
  return {
    get isOpen() {
      return socket.writable && socket.readable
    },
    send: (text) => send(opcodes.text, Buffer.from(text)),
    async *messages() {
      const parts: Buffer[] = []
      let length = 0
      let frames = 0
      for await (const { opcode, isLast, body } of framesOf(socket, head)) {
        if (++frames % framesAtOnce === 0) await setImmediate()
        if (socket.writableLength > mostUnsentBytes) await untilSent(socket)
        if (opcode === opcodes.close) return
        if (opcode === opcodes.ping) send(opcodes.pong, body)
        if (opcode > opcodes.binary) continue
        parts.push(body)
        length += body.length + partBytes
        assertShort(length)
        if (!isLast) continue
        length = 0
        const [first] = parts
        yield parts.length === 1 ? first! : Buffer.concat(parts)
        parts.length = 0
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

async function upgrade({
  url,
  headers,
  timeoutMs,
}: WebSocketAddress): Promise<{ readonly socket: Socket; readonly head: Buffer }> {
  const key = randomBytes(16).toString('base64')
  const asked = request(url.replace(/^ws:/, 'http:'), {
    headers: {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; head: Buffer }>()
  asked.once('upgrade', (response, stream, head) => {
    const expected = createHash('sha1').update(`${key}${protocolKey}`).digest('base64')
    if (response.headers['sec-websocket-accept'] === expected) return resolve({ socket: stream, head })
    stream.destroy()
    reject(new Error('it does not speak WebSocket'))
  })
  asked.once('response', (response) => {
    response.destroy()
    reject(new Error('it refused the connection'))
  })
  asked.once('error', ({ name }) => {
    reject(
      new Error(name === 'AbortError' || name === 'TimeoutError' ? 'it does not answer' : 'it refused the connection'),
    )
  })
  asked.end()
  return promise
}

interface Frame {
  readonly opcode: number
  readonly isLast: boolean
  readonly body: Buffer
}

/** Reads no more than the next frame needs. */
async function* framesOf(socket: Socket, head: Buffer): AsyncGenerator<Frame, void> {
  const chunks: AsyncIterator<Buffer> = socket.iterator({ destroyOnReturn: false })
  let kept = head.length > 0 ? [head] : []
  let size = head.length

  async function has(bytes: number): Promise<boolean> {
    while (size < bytes) {
      const { value, done } = await nextOf(chunks)
      if (done) return false
      kept.push(value)
      size += value.length
    }
    return true
  }

  function take(bytes: number): Buffer {
    const [first] = kept
    const all = kept.length === 1 || first!.length >= bytes ? first! : Buffer.concat(kept)
    kept = all === first ? kept.slice(1) : []
    if (all.length > bytes) kept.unshift(all.subarray(bytes))
    size -= bytes
    return all.subarray(0, bytes)
  }

  for (;;) {
    if (!(await has(2))) return
    const start = take(2)
    const code = start[1]! & 0x7f
    if ((start[1]! & maskedFrame) !== 0) throw new HubError('unavailable', 'The server of Codex sent a masked frame.')
    const lengthBytes = code === 126 ? 2 : code === 127 ? 8 : 0
    if (!(await has(lengthBytes))) return
    const length = code === 126 ? take(2).readUInt16BE() : code === 127 ? Number(take(8).readBigUInt64BE()) : code
    assertShort(length)
    if (!(await has(length))) return
    yield {
      opcode: start[0]! & 0x0f,
      isLast: (start[0]! & lastFrame) !== 0,
      body: length === 0 ? Buffer.alloc(0) : take(length),
    }
  }
}

/** A connection that broke has ended. */
async function nextOf(chunks: AsyncIterator<Buffer>): Promise<{ readonly value: Buffer; readonly done?: boolean }> {
  try {
    return await chunks.next()
  } catch {
    return { value: Buffer.alloc(0), done: true }
  }
}

async function untilSent(socket: Socket): Promise<void> {
  await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

function assertShort(length: number): void {
  if (length <= longestMessageBytes) return
  throw new HubError('too-large', `Codex sent a message of more than ${longestMessageBytes} bytes.`)
}

/** A client masks what it sends, for the sake of old proxies. */
function frameOf(opcode: number, body: Buffer): Buffer {
  const { length } = body
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.alloc(2 + extra + 4 + length)
  frame[0] = lastFrame | opcode
  frame[1] = maskedFrame | (extra === 0 ? length : extra === 2 ? 126 : 127)
  if (extra === 2) frame.writeUInt16BE(length, 2)
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  const mask = randomBytes(4)
  const start = 2 + extra + 4
  mask.copy(frame, start - 4)
  for (let at = 0; at < length; at++) frame[start + at] = body[at]! ^ mask[at % 4]!
  return frame
}
