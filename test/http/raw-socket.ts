/** A bare TCP socket, for bytes that no HTTP client would send. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawSocket extends Disposable {
  readonly socket: Socket
  write(text: string | Buffer): Promise<void>
  /** The text received so far. */
  readonly received: string
  /** Resolves with the whole text when the socket is closed. */
  readonly closed: Promise<string>
}

/** `from` is the source address. Every address of 127.0.0.0/8 is this machine. */
export async function openSocket(port: number, from = '127.0.0.1'): Promise<RawSocket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  await once(socket, 'connect')
  return {
    socket,
    write: (text) => new Promise((resolve) => void socket.write(text, () => resolve())),
    get received() {
      return received
    },
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** The head of a POST to `/mcp`, up to its body. */
export function postHead(token: string, headers: Readonly<Record<string, string>>): string {
  const all = {
    Host: '127.0.0.1',
    Authorization: `Bearer ${token}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`
}
