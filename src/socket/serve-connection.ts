/** One client of a session's socket, from its first byte to its last. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import { linesOf } from '../base/lines.ts'
import type { LineConnection, Outlet } from '../mcp/mcp.ts'
import { failureOf } from '../mcp/mcp.ts'

export interface ConnectionOptions {
  readonly open: (outlet: Outlet) => LineConnection
  readonly maxLineBytes: number
}

/** A reader that lets so much pile up is cut off. */
const maxBacklogBytes = 16 * 1024 * 1024
/** A client that has said all it wants to say may still wait for answers, but not for ever. */
const lingerMs = 1_000
/** After this a client that does not read what it was sent is not waited for. */
const farewellMs = 2_000

export async function serveConnection(socket: Socket, { open, maxLineBytes }: ConnectionOptions): Promise<void> {
  const outlet = outletOf(socket)
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  // Its end is told by 'close'; how it came is the client's affair.
  socket.on('error', () => {})
  try {
    const connection = open(outlet)
    // The other direction must outlive this one: answers may still be on their way.
    for await (const line of linesOf(socket.iterator({ destroyOnReturn: false }), maxLineBytes)) {
      connection.receive(line)
      // Who does not read is not read from, so that what waits here stays little.
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
    // Nothing can be resumed here, so there is nothing to resume from.
    prime: () => {},
    onDrain: (listener) => socket.on('drain', listener),
    onClose: (listener) => socket.once('close', listener),
    end: () => sendOff(socket),
  }
}

/** Lets it have what was written for it, within reason. */
export function sendOff(socket: Socket): void {
  if (!socket.writable) return
  const timer = setTimeout(() => socket.destroy(), farewellMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end(() => socket.destroy())
}
