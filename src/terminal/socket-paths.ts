/** The socket paths of holders, and which terminals of a directory have, or had, a holder. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function holderSocket(socketDirectory: string, id: string): string {
  return join(socketDirectory, `${id}.sock`)
}

/** The sockets of the forwards of a sandbox. Its path is as short as that of the holder's socket. */
export function forwardsFolder(socketDirectory: string, id: string): string {
  return join(socketDirectory, id)
}

/**
 * The ids of terminals that may have a holder. A holder removes its socket when its program ends, unless it was killed.
 * If a socket cannot be checked, it counts as present. Throws if the directory cannot be read.
 */
export function idsWithSocket(directory: string, socketDirectory: string): readonly string[] {
  return namesIn(directory).filter((id) => mayBeThere(holderSocket(socketDirectory, id)))
}

function mayBeThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
