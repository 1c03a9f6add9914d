/** Where a session's socket goes: a directory that nobody else can write to, and a path that the kernel takes. */
import { access, chmod, constants, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError, messageOf } from '../base/hub-error.ts'
import { maxSocketPathBytes, socketFile } from '../base/socket-places.ts'
import type { SocketPlace } from '../base/socket-places.ts'

export interface SocketPath {
  readonly path: string
  /** Why it is not in the first place. */
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
    `There is no place for the socket "${name}": ${passedOver.join('; ')}. A shorter name, or XDG_RUNTIME_DIR, would do.`,
  )
}

function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > maxSocketPathBytes
}

/** Whoever can write to the directory can put another socket in the place of ours. */
async function findFault({ directory, isOwn }: SocketPlace): Promise<string | undefined> {
  try {
    if (isOwn) await mkdir(directory, { recursive: true, mode: 0o700 })
    const found = await lstat(directory)
    if (!found.isDirectory()) return `${directory} is no directory`
    if (found.uid !== process.getuid?.()) return `${directory} belongs to somebody else`
    if (isOwn && (found.mode & 0o077) !== 0) await chmod(directory, 0o700)
    await access(directory, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `${directory} cannot be used (${messageOf(error)})`
  }
}
