/**
 * Unix sockets that only their owner can have created. Node does not report who is at the other end of a socket
 * (SO_PEERCRED), so the owner and the mode of the socket and of its directory are checked before connecting. In a
 * directory that only we may write to, no other user can replace a socket after the check.
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { dirname } from 'node:path'
import { HubError } from './hub-error.ts'

/**
 * Throws a `HubError` if another user may be behind the socket, and the error of `lstat` if that fails. Do not connect
 * after ENOENT either: another user's socket may have appeared in between.
 */
export function assertPrivateSocket(path: string): void {
  assertPrivateDirectory(dirname(path))
  const socket = lstatSync(path)
  if (!socket.isSocket()) throw refused(`${path} is not a socket`)
  assertPrivate(path, socket, 0o600)
}

/** Creates the directory if it is missing, and makes an existing one of ours private. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = directoryAt(path)
  assertOwner(path, found)
  if (isLoose(found)) chmodSync(path, 0o700)
}

export function assertPrivateDirectory(path: string): void {
  assertPrivate(path, directoryAt(path), 0o700)
}

/** Creates the socket file with mode 0600. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  // The socket is created synchronously in this call, so no other file gets this umask.
  const usual = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(usual)
  }
  await once(server, 'listening')
}

/** Refuses a symbolic link, because its creator chose the target. */
function directoryAt(path: string): Stats {
  const found = lstatSync(path)
  if (!found.isDirectory()) throw refused(`${path} is not a directory`)
  return found
}

function assertPrivate(path: string, found: Stats, mode: number): void {
  assertOwner(path, found)
  if (!isLoose(found)) return
  const [is, should] = [found.mode & 0o777, mode].map((each) => each.toString(8))
  throw refused(`${path} has mode 0${is}, so other users can use it. Run "chmod ${should} '${path}'"`)
}

function assertOwner(path: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (uid !== own) throw refused(`${path} belongs to user ${uid}, and you are user ${own}`)
}

function isLoose({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0
}

function refused(what: string): HubError {
  return new HubError('forbidden', `${what}.`)
}
