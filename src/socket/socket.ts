/**
 * A unix socket per session: its terminal tools for programs on the same machine, without a token. Who may open the
 * file may use them, hence 0600.
 *
 *   name → path → listen → a connection for each client → endpoint
 */
import { once } from 'node:events'
import { lstat, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { socketNameSchema } from '../api/socket-name.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { dial } from '../base/socket-places.ts'
import type { SocketPlace } from '../base/socket-places.ts'
import type { Endpoint, Face } from '../mcp/mcp.ts'
import { sendOff, serveConnection } from './serve-connection.ts'
import { choosePath } from './socket-path.ts'

export interface SessionSockets extends AsyncDisposable {
  /** Ready for clients when it resolves. A name that is in use, here or elsewhere, is a conflict. */
  open(session: SocketSession): Promise<SessionSocket>
}

export interface SocketSession {
  /** Of the socket. */
  readonly name: string
  /** As whom its clients act. */
  readonly caller: Principal
  readonly face: Face
}

export interface SessionSocket {
  readonly name: string
  readonly path: string
  /** Ends its connections too. */
  close(): Promise<void>
}

export interface SessionSocketsOptions {
  readonly endpoint: Pick<Endpoint, 'openLines'>
  /** The best first. */
  readonly places: readonly SocketPlace[]
  readonly maxLineBytes: number
  readonly log: Log
}

export function createSessionSockets({ endpoint, places, maxLineBytes, log }: SessionSocketsOptions): SessionSockets {
  /** By name; `undefined` while one is being opened. */
  const open = new Map<string, SessionSocket | undefined>()

  async function listen({ name, caller, face }: SocketSession): Promise<SessionSocket> {
    const { path, passedOver } = await choosePath(name, places)
    if (passedOver.length > 0) log.info({ path, passedOver }, 'a socket is not in its usual place')
    await removeDead(path, name)
    const clients = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      clients.add(socket)
      socket.once('close', () => clients.delete(socket))
      // All of it: the face is as small as its session allows.
      const visit = { caller, face, toolsets: ['all'] }
      void serveConnection(socket, { open: (outlet) => endpoint.openLines(visit, outlet), maxLineBytes })
    })
    await bind(server, path, name)
    let closing: Promise<void> | undefined
    async function stop(): Promise<void> {
      open.delete(name)
      const closed = once(server, 'close')
      server.close()
      for (const socket of clients) sendOff(socket)
      await closed
    }
    return { name, path, close: () => (closing ??= stop()) }
  }

  return {
    async open(session) {
      const { name } = session
      checkName(name)
      if (open.has(name)) throw taken(name, open.get(name)?.path)
      open.set(name, undefined)
      try {
        const socket = await listen(session)
        open.set(name, socket)
        return socket
      } catch (error) {
        open.delete(name)
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map(async (socket) => socket?.close()))
    },
  }
}

function checkName(name: string): void {
  const read = socketNameSchema.safeParse(name)
  if (!read.success) {
    throw new HubError('invalid', `"${name.slice(0, 80)}" will not do: ${read.error.issues[0]!.message}.`)
  }
}

/** A hub that was killed leaves its sockets behind. Whether one is dead shows only when somebody knocks. */
async function removeDead(path: string, name: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isSocket()) throw new HubError('conflict', `${path} is no socket. Move it away, or choose another name.`)
  try {
    const socket = await dial(path)
    socket.destroy()
  } catch (error) {
    // Anything else may mean that it lives, and only does not talk to us.
    if (!isCode(error, 'ECONNREFUSED') && !isCode(error, 'ENOENT')) throw taken(name, path)
    await rm(path, { force: true })
    return
  }
  throw taken(name, path)
}

async function bind(server: Server, path: string, name: string): Promise<void> {
  // The file is made in this very call, so no other file of the hub's comes to have these rights.
  const usual = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(usual)
  }
  try {
    await once(server, 'listening')
  } catch (error) {
    if (isCode(error, 'EADDRINUSE')) throw taken(name, path)
    throw new HubError('unavailable', `The hub cannot listen on ${path}: ${messageOf(error)}.`, { cause: error })
  }
}

function taken(name: string, path = 'its path'): HubError {
  return new HubError('conflict', `The socket name "${name}" is already taken: ${path} answers. Choose another name.`)
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
