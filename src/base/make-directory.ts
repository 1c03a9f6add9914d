import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and its parents. Node's recursive `mkdir` retries for ever where the system reports an existing
 * parent as missing, as in /proc.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent, mode)
  mkdirSync(path, { mode })
}
