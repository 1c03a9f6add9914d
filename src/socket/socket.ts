/**
 * A unix socket per session, with its terminal tools for programs on the same machine. It needs no token: every program
 * that can open the file can use the tools, hence mode 0600.
 *
 *   name → path → listen → a connection for each client → endpoint
 */
import { once } from 'node:events'
import { lstat, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { socketNameSchema } from '../api/socket-name.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { listenPrivately } from '../base/private-socket.ts'
import { dial } from '../base/socket-places.ts'
import type { SocketPlace } from '../base/socket-places.ts'
import { systemReason } from '../base/system-reason.ts'
import type { Endpoint, Face } from '../endpoint/endpoint.ts'
import { endGracefully, serveClient } from './serve-client.ts'
import { choosePath } from './socket-path.ts'

export interface SessionSockets extends AsyncDisposable {
  /** Starts to serve clients. Their faces exist only once all features do. */
  serve(faceOf: FaceOf): void
  /** Resolves when clients can connect. Throws a conflict if the name is in use, by this hub or another program. */
  open(session: SocketSession): Promise<SessionSocket>
}

export interface SocketSession {
  /** The name of the socket. */
  readonly name: string
  /** The principal that its clients act as. */
  readonly caller: Principal
}

/** Returns the face for the clients of one socket. Called once for each socket. */
export type FaceOf = (caller: Principal) => Face

export interface SessionSocket {
  readonly name: string
  readonly path: string
  /** Also ends its connections. */
  close(): Promise<void>
}

export interface SessionSocketsOptions {
  readonly endpoint: Pick<Endpoint, 'openLines'>
  /** In order of preference. */
  readonly places: readonly SocketPlace[]
  readonly maxLineBytes: number
  readonly log: Log
}

export function createSessionSockets({ endpoint, places, maxLineBytes, log }: SessionSocketsOptions): SessionSockets {
  /** By name; `undefined` while one is being opened. */
  const open = new Map<string, SessionSocket | undefined>()
  let faceOf: FaceOf | undefined

  async function listen({ name, caller }: SocketSession, face: Face): Promise<SessionSocket> {
    const { path, passedOver } = await choosePath(name, places)
    if (passedOver.length > 0) log.info({ path, passedOver }, 'a socket is not in its preferred directory')
    await removeStale(path, name)
    const clients = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      clients.add(socket)
      socket.once('close', () => clients.delete(socket))
      void serveClient(socket, { open: (outlet) => endpoint.openLines({ caller, face }, outlet), maxLineBytes })
    })
    await bind(server, path, name)
    let closing: Promise<void> | undefined
    async function stop(): Promise<void> {
      open.delete(name)
      const closed = once(server, 'close')
      server.close()
      for (const socket of clients) endGracefully(socket)
      await closed
    }
    return { name, path, close: () => (closing ??= stop()) }
  }

  return {
    serve: (given) => void (faceOf = given),
    async open(session) {
      const { name } = session
      checkName(name)
      if (!faceOf) throw new HubError('unavailable', 'The hub is starting. Try again in a second.')
      if (open.has(name)) throw taken(name, open.get(name)?.path)
      open.set(name, undefined)
      try {
        const socket = await listen(session, faceOf(session.caller))
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
    throw new HubError(
      'invalid',
      `"${name.slice(0, 80)}" is not a valid socket name: ${read.error.issues[0]!.message}.`,
    )
  }
}

/** A hub that was killed leaves its sockets behind. Only a connection attempt shows whether one is stale. */
async function removeStale(path: string, name: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isSocket())
    throw new HubError('conflict', `${path} is not a socket. Move it away, or choose another name.`)
  try {
    const socket = await dial(path)
    socket.destroy()
  } catch (error) {
    // With any other error the socket may still be in use, for example by another user.
    if (!isCode(error, 'ECONNREFUSED') && !isCode(error, 'ENOENT')) throw taken(name, path)
    await rm(path, { force: true })
    return
  }
  throw taken(name, path)
}

async function bind(server: Server, path: string, name: string): Promise<void> {
  try {
    await listenPrivately(server, path)
  } catch (error) {
    if (isCode(error, 'EADDRINUSE')) throw taken(name, path)
    throw new HubError('unavailable', `The hub cannot listen on ${path}: ${systemReason(error)}.`, { cause: error })
  }
}

function taken(name: string, path = 'its path'): HubError {
  return new HubError('conflict', `The socket name "${name}" is already taken: ${path} answers. Choose another name.`)
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
