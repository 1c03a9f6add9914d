/**
 * Finds the target of a path. An agent may have written anything inside a writable directory. So a link inside it that
 * leads out of the directory is not followed: otherwise a link that one agent leaves behind would open its target to
 * the next.
 */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAtOrInside, isInside } from './mounts.ts'

const mostLinks = 40

/** `writable`: directories without links in their paths. `undefined`: it is missing, or must not be followed. */
export function trustedPath(path: string, writable: readonly string[]): string | undefined {
  const bounds: string[] = []
  const names = path.split('/')
  let here = '/'
  let links = 0
  try {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (name === '..') here = dirname(here)
      if (name === '..' || name === '.' || name === '') continue
      const next = join(here, name)
      if (!lstatSync(next).isSymbolicLink()) {
        here = next
        continue
      }
      if (++links > mostLinks) return undefined
      bounds.push(...writable.filter((directory) => isInside(next, directory)))
      const target = readlinkSync(next)
      if (target.startsWith('/')) here = '/'
      names.unshift(...target.split('/'))
    }
  } catch {
    return undefined // it is missing, or this user may not see it
  }
  return bounds.every((directory) => isAtOrInside(here, directory)) ? here : undefined
}

/** Follows all links. */
export function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
