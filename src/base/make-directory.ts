import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and its parents. `mkdir` of Node with `recursive` tries for ever where the parent exists and the
 * system still says that it does not, as in /proc.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent, mode)
  mkdirSync(path, { mode })
}
