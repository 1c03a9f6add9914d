/**
 * The end of the standard error of a program on pipes. Two files alternate: when the newer one is full, it replaces the
 * older one. So the reason for a crash can be read, and endless error output does not fill the disk.
 */
import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** At least this much is kept, if there was that much. */
export const keptStderrBytes = 256 * 1024
const newer = 'stderr'
const older = 'stderr.older'

/** Output that the disk does not take is dropped. The program continues. */
export function createStderrFile(directory: string): (bytes: Buffer) => void {
  const path = join(directory, newer)
  let file: number | undefined
  let size = 0

  return (bytes) => {
    try {
      file ??= openSync(path, 'a', 0o600)
      size += writeSync(file, bytes)
      if (size < keptStderrBytes) return
      renameSync(path, join(directory, older))
      closeSync(file)
      file = undefined
      size = 0
    } catch {
      // Tries again with the next output.
    }
  }
}

export function readStderr(directory: string): Buffer {
  return Buffer.concat([older, newer].map((name) => readIfThere(join(directory, name)))).subarray(-keptStderrBytes)
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
