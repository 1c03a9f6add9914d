/**
 * Sockets that have not shown a valid token yet. Their number and their time are limited, so that silent ones cannot use
 * up the hub's file descriptors. At a limit the oldest is closed, not the newest: agents, the page and proxies share
 * 127.0.0.1, and another program there must not be able to lock them out.
 */
import type { Server, Socket } from 'node:net'

export interface UnauthenticatedSockets {
  add(socket: Socket): void
  /** The socket showed a valid token, or its token is being checked. */
  remove(socket: Socket): void
  /** A request on the socket was answered, so its time starts again. */
  refresh(socket: Socket): void
  /** After a TLS handshake, the encrypted side of a socket counts instead of the socket. */
  replace(raw: Socket, secure: Socket): void
}

interface Limit {
  readonly most: number
  /** How long the limit may be exceeded: many clients may connect at once, for example after a restart. */
  readonly graceMs: number
}

const perAddress: Limit = { most: 64, graceMs: 500 }
const inAll: Limit = { most: 256, graceMs: 500 }
const atOnce: Limit = { most: 512, graceMs: 0 }
const maxIdleMs = 10_000

/** Counts every new socket of the server. */
export function limitUnauthenticatedSockets(server: Server): UnauthenticatedSockets {
  /** The timer that closes each socket. The oldest comes first. */
  const timers = new Map<Socket, NodeJS.Timeout>()
  /** The names of the exceeded limits. */
  const exceeded = new Set<string>()

  function add(socket: Socket): void {
    if (socket.destroyed) return
    timers.set(socket, setTimeout(cut, maxIdleMs, socket).unref())
    const { remoteAddress } = socket
    keepTo(atOnce, 'at once', () => true)
    keepTo(inAll, 'in all', () => true)
    keepTo(perAddress, `from ${remoteAddress}`, (other) => other.remoteAddress === remoteAddress)
  }

  function keepTo(limit: Limit, name: string, counts: (socket: Socket) => boolean): void {
    if (exceeded.has(name)) return
    const { most, graceMs } = limit
    const counted = () => [...timers.keys()].filter(counts)
    const known = counted()
    if (known.length <= most) return
    exceeded.add(name)
    setTimeout(() => {
      // The event loop reads sockets between timers and immediates, so a token that has already arrived still counts.
      setImmediate(() => {
        exceeded.delete(name)
        const excess = Math.max(0, counted().length - most)
        const silent = known.filter((socket) => timers.has(socket))
        for (const socket of silent.slice(0, excess)) {
          remove(socket)
          socket.destroy()
        }
        // A socket that came meanwhile has its own grace period.
        keepTo(limit, name, counts)
      })
    }, graceMs).unref()
  }

  function cut(socket: Socket): void {
    // A slow reader of the page may finish. If it stops reading, the server's own timeout closes the socket.
    if (socket.writableLength > 0) return void timers.get(socket)?.refresh()
    if (socket.bytesWritten === 0) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    socket.destroySoon()
  }

  function remove(socket: Socket): void {
    clearTimeout(timers.get(socket))
    timers.delete(socket)
  }

  function watch(socket: Socket): void {
    add(socket)
    socket.once('close', () => remove(socket))
  }

  server.on('connection', watch)
  return {
    add,
    remove,
    refresh: (socket) => void timers.get(socket)?.refresh(),
    replace(raw, secure) {
      remove(raw)
      watch(secure)
    },
  }
}
