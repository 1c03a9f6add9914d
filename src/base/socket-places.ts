/** The locations of unix sockets: for the hub and the holders, which open them, and for the CLI, which looks for them. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'

export interface SocketPlace {
  readonly directory: string
  /** Whether the hub creates the directory if it is missing. The others belong to the system. */
  readonly isOwn: boolean
}

/** In order of preference. The last is short, in case the other paths are too long for a socket. */
export function socketPlaces(given: { home: string; runtimeDirectory: string | undefined }): readonly SocketPlace[] {
  const { home, runtimeDirectory } = given
  const places: readonly SocketPlace[] = [
    { directory: join(home, 'run'), isOwn: true },
    { directory: shortDirectory(), isOwn: true },
  ]
  // The XDG specification says to ignore a relative path.
  const isSet = runtimeDirectory !== undefined && isAbsolute(runtimeDirectory)
  return isSet ? [{ directory: runtimeDirectory, isOwn: false }, ...places] : places
}

function shortDirectory(): string {
  return `/tmp/signalbox-${process.getuid?.() ?? 'user'}`
}

/** The hub's own socket, over which the CLI talks to it. */
export function hubSocket(home: string): string {
  const usual = join(home, 'run', 'hub.sock')
  if (fits(usual)) return usual
  return join(shortDirectory(), `hub-${markOf(home)}.sock`)
}

/** The sockets of confined programs that the hub starts. Nothing else is in this directory. */
export function programSocketDirectory(home: string): string {
  const usual = join(home, 'run', 'programs')
  return fits(join(usual, 'x'.repeat(24))) ? usual : join(shortDirectory(), `programs-${markOf(home)}`)
}

function markOf(home: string): string {
  // Loaded lazily: few paths are so long, and loading it would slow down every command.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(home).digest('hex').slice(0, 16)
}

/** The sockets of holders. Their names are unique on the machine. */
export function holderSocketDirectory(home: string): string {
  const usual = join(home, 'run', 'holders')
  return fits(join(usual, 'x'.repeat(24))) ? usual : shortDirectory()
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= maxSocketPathBytes
}

/** The kernel's limit, without the terminating zero. */
export const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107

export function socketFile(name: string): string {
  return `signalbox-mcp-${name}.sock`
}

/** `undefined` if the file is not a session's socket. */
export function socketNameOf(file: string): string | undefined {
  return /^signalbox-mcp-(.+)\.sock$/.exec(file)?.[1]
}

/** Rejects with ECONNREFUSED if the file exists but no process listens on it. */
export async function dial(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}
