import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { HubError } from './hub-error.ts'

/** Returns a path as it is and looks up a name as a shell would. Throws if there is no such program. */
export function findProgram(file: string, path: string, cwd: string): string {
  if (file.includes('/')) {
    const absolute = isAbsolute(file) ? file : join(cwd, file)
    if (isProgram(absolute)) return absolute
    throw new HubError('invalid', `"command": there is no program at ${absolute}.`)
  }
  const found = onPath(file, path)
  if (found !== undefined) return found
  throw new HubError(
    'invalid',
    `"command": the program "${file}" is not installed, or not on the hub's PATH. Install it, or give its full path.`,
  )
}

export function isOnPath(name: string, path: string): boolean {
  return onPath(name, path) !== undefined
}

export function onPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((directory) => join(directory || '.', name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
