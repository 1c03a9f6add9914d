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
  const { links, end, isThere } = walk(path)
  const bounds = links.flatMap((link) => writable.filter((directory) => isInside(link, directory)))
  return isThere && bounds.every((directory) => isAtOrInside(end, directory)) ? end : undefined
}

export interface Walk {
  /** The links on the way, each at its path without links. */
  readonly links: readonly string[]
  /** The path without links, as far as it is there. */
  readonly end: string
  readonly isThere: boolean
}

export function walk(path: string): Walk {
  const links: string[] = []
  const names = path.split('/')
  let here = '/'
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') here = dirname(here)
    if (name === '..' || name === '.' || name === '') continue
    const next = join(here, name)
    const target = targetOf(next)
    if (target.is === 'missing' || links.length > mostLinks) {
      return { links, end: join(next, ...names), isThere: false }
    }
    if (target.is === 'link') {
      links.push(next)
      if (target.path.startsWith('/')) here = '/'
      names.unshift(...target.path.split('/'))
    } else {
      here = next
    }
  }
  return { links, end: here, isThere: true }
}

function targetOf(path: string): { readonly is: 'link'; readonly path: string } | { readonly is: 'own' | 'missing' } {
  try {
    return lstatSync(path).isSymbolicLink() ? { is: 'link', path: readlinkSync(path) } : { is: 'own' }
  } catch {
    return { is: 'missing' } // or this user may not see it
  }
}

/** Follows all links. */
export function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
