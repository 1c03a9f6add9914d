/** Where a holder can be spoken to, and which terminals of a directory have one, or had. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function holderSocket(socketDirectory: string, id: string): string {
  return join(socketDirectory, `${id}.sock`)
}

/** A holder removes its socket when its program ends; one that was killed could not. */
export function heldIn(directory: string, socketDirectory: string): readonly string[] {
  return namesIn(directory).filter((id) => existsSync(holderSocket(socketDirectory, id)))
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
