/** Where the unix sockets of sessions are: for the hub that opens them, and for the relay that looks for them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'

export interface SocketPlace {
  readonly directory: string
  /** Made by us where it is missing. The others belong to the system. */
  readonly isOwn: boolean
}

/** The best first. The last is short, for those whose other paths are longer than a socket's may be. */
export function socketPlaces(given: { home: string; runtimeDirectory: string | undefined }): readonly SocketPlace[] {
  const { home, runtimeDirectory } = given
  const places: readonly SocketPlace[] = [
    { directory: join(home, 'run'), isOwn: true },
    { directory: shortDirectory(), isOwn: true },
  ]
  // A relative one is to be ignored, says who invented the variable.
  const isSet = runtimeDirectory !== undefined && isAbsolute(runtimeDirectory)
  return isSet ? [{ directory: runtimeDirectory, isOwn: false }, ...places] : places
}

function shortDirectory(): string {
  return `/tmp/signalbox-${process.getuid?.() ?? 'user'}`
}

/** Sockets of holders, which nobody needs to find by name. */
export function holderSocketDirectory(home: string): string {
  const usual = join(home, 'run', 'holders')
  const longest = join(usual, 'x'.repeat(24))
  if (Buffer.byteLength(longest) <= maxSocketPathBytes) return usual
  const mark = createHash('sha256').update(home).digest('hex').slice(0, 16)
  return join(shortDirectory(), `holders-${mark}`)
}

/** What the kernel has room for, without the zero at its end. */
export const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107

export function socketFile(name: string): string {
  return `signalbox-mcp-${name}.sock`
}

/** `undefined` where the file is none of ours. */
export function socketNameOf(file: string): string | undefined {
  return /^signalbox-mcp-(.+)\.sock$/.exec(file)?.[1]
}

/** Rejects with ECONNREFUSED where the file is there, and nobody behind it. */
export async function dial(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}
