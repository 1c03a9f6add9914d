/**
 * Puts the temporary files of a test run into memory, where there is enough of it. Tests make and delete hundreds of
 * thousands of files, and a disk takes twice the CPU for that. Workers inherit the environment.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const disk = '/dev/shm'

export default function setup(): (() => void) | undefined {
  if (!existsSync(disk)) return undefined
  const { bavail, bsize } = statfsSync(disk)
  if (bavail * bsize < 4e9) return undefined
  const directory = mkdtempSync(join(disk, 'sb-'))
  // PostgreSQL runs as another user, and has its files here too.
  chmodSync(directory, 0o711)
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
