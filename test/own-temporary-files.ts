/**
 * Gives a test run a directory of its own for temporary files, in memory if there is enough of it. Tests make and delete
 * hundreds of thousands of files, and a disk takes twice the CPU for that. Workers inherit the environment.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'

export default function setup(): (() => void) | undefined {
  // The temporary directory of other systems has a long path, and that of a socket must be short.
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  const directory = mkdtempSync(join(bavail * bsize < 4e9 ? tmpdir() : memory, 'sb-'))
  // PostgreSQL runs as another user, and has its files here too.
  chmodSync(directory, 0o711)
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
