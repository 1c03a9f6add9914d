/** Serves one client of a session's socket, from its first byte to its last. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import { linesOf } from '../base/lines.ts'
import type { LineConnection, Outlet } from '../endpoint/endpoint.ts'
import { failureOf } from '../mcp/mcp.ts'

export interface ClientOptions {
  readonly open: (outlet: Outlet) => LineConnection
  readonly maxLineBytes: number
}

/** A client that leaves more than this unread is disconnected. */
const maxBacklogBytes = 16 * 1024 * 1024
/** How long a client that has closed its sending side may wait for answers. */
const lingerMs = 1_000
/** How long an ending socket waits for the client to read the rest. */
const endGraceMs = 2_000

export async function serveClient(socket: Socket, { open, maxLineBytes }: ClientOptions): Promise<void> {
  const outlet = outletOf(socket)
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  // The 'close' event reports the end. An error of the client's side does not concern the hub.
  socket.on('error', () => {})
  try {
    const connection = open(outlet)
    // The socket stays open for writing after its input ends: answers may still be pending.
    for await (const line of linesOf(socket.iterator({ destroyOnReturn: false }), maxLineBytes)) {
      connection.receive(line)
      // While the client does not read, the hub does not read from it. This bounds the memory for pending answers.
      if (!outlet.isReady) await once(socket, 'drain', { signal: gone.signal })
    }
    await Promise.race([connection.settled(), sleep(lingerMs, undefined, { signal: gone.signal })])
  } catch (error) {
    if (!gone.signal.aborted && error instanceof HubError) outlet.send(failureOf(null, error, () => {}).response)
  } finally {
    outlet.end()
  }
}

function outletOf(socket: Socket): Outlet {
  return {
    get isOpen() {
      return socket.writable
    },
    get isReady() {
      return !socket.writableNeedDrain
    },
    send(message) {
      if (!socket.writable) return
      if (socket.writableLength > maxBacklogBytes) socket.destroy()
      else socket.write(`${JSON.stringify(message)}\n`)
    },
    // A client cannot resume this stream, so there are no event ids.
    prime: () => {},
    retryAfter: () => {},
    onDrain: (listener) => socket.on('drain', listener),
    onClose: (listener) => socket.once('close', listener),
    end: () => endGracefully(socket),
  }
}

/** Sends what was already written, waits a limited time, then closes the socket. */
export function endGracefully(socket: Socket): void {
  if (!socket.writable) return
  const timer = setTimeout(() => socket.destroy(), endGraceMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end(() => socket.destroy())
}
