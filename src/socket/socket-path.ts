/**
 * Chooses the path of a session's socket: in a directory that only we can write to, and short enough for the kernel.
 */
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { assertPrivateDirectory, makePrivateDirectory } from '../base/private-socket.ts'
import { maxSocketPathBytes, socketFile } from '../base/socket-places.ts'
import type { SocketPlace } from '../base/socket-places.ts'
import { systemReason } from '../base/system-reason.ts'

export interface SocketPath {
  readonly path: string
  /** Why earlier places were not used. */
  readonly passedOver: readonly string[]
}

export async function choosePath(name: string, places: readonly SocketPlace[]): Promise<SocketPath> {
  const passedOver: string[] = []
  for (const place of places) {
    const path = join(place.directory, socketFile(name))
    const why = isTooLong(path) ? `${path} is longer than ${maxSocketPathBytes} bytes` : await findFault(place)
    if (why === undefined) return { path, passedOver }
    passedOver.push(why)
  }
  throw new HubError(
    'unavailable',
    `The hub finds no place for the socket "${name}": ${passedOver.join('; ')}. Choose a shorter name, or set XDG_RUNTIME_DIR.`,
  )
}

function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > maxSocketPathBytes
}

/** A user who can write to the directory can replace our socket with another. */
async function findFault({ directory, isOwn }: SocketPlace): Promise<string | undefined> {
  try {
    if (isOwn) makePrivateDirectory(directory)
    else assertPrivateDirectory(directory)
    await access(directory, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `${directory} cannot be used (${systemReason(error)})`
  }
}
