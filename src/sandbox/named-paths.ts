/** The paths that a sandbox names, and their targets on this machine. */
import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, normalize } from 'node:path'
import type { Sandbox } from '../api/sandbox.ts'
import { pathOnly } from './look-at.ts'
import type { Mount } from './mounts.ts'
import { realpathOf, trustedPath } from './trusted-path.ts'

export interface NamedPathsOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** Directories that agents may have written. */
  readonly writable: readonly string[]
}

/** Leaves out a path that is missing, or that an agent may have redirected. `writable`: including those of `write`. */
export function namedMounts(
  { write, read }: Pick<Sandbox, 'write' | 'read'>,
  options: NamedPathsOptions,
): readonly Mount[] {
  const named = [
    ...write.map((text) => ({ is: 'write', text }) as const),
    ...read.map((text) => ({ is: 'read', text }) as const),
  ]
  return named.flatMap(({ is, text }): readonly Mount[] => {
    const path = expand(text, options)
    const source = path === undefined ? undefined : trustedPath(path, options.writable)
    if (path === undefined || source === undefined) return []
    const mount: Mount = { is, path, source }
    return source === path ? [mount] : [mount, { is, path: source, source }]
  })
}

/** The targets of the paths in `write`. A path that ends with a slash is created. */
export function writablePaths(write: Sandbox['write'], options: NamedPathsOptions): readonly string[] {
  const found: string[] = []
  for (const text of write) {
    const path = expand(text, options)
    if (path === undefined) continue
    const writable = [...options.writable, ...found]
    if (text.endsWith('/')) makeDirectory(path, writable)
    const target = trustedPath(path, writable)
    if (target !== undefined) found.push(target)
  }
  return found
}

/** The same, where nothing may be made, and links may lead anywhere. */
export function namedTargets(
  write: Sandbox['write'],
  options: Pick<NamedPathsOptions, 'home' | 'env'>,
): readonly string[] {
  const paths = write.flatMap((text) => expand(text, options) ?? [])
  return paths.map((path) => realpathOf(path) ?? path)
}

const folderFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Each part is made in the folder that was opened before, so nothing is made behind a link that an agent puts there. */
function makeDirectory(path: string, writable: readonly string[]): void {
  const missing: string[] = []
  let there = path
  for (; lstatSync(there, { throwIfNoEntry: false }) === undefined; there = dirname(there)) {
    missing.unshift(basename(there))
  }
  const start = missing.length === 0 ? undefined : trustedPath(there, writable)
  if (start === undefined) return
  let folder = openSync(start, folderFlags)
  try {
    if (readlinkSync(`/proc/self/fd/${folder}`) !== start) return
    for (const name of missing) {
      const next = `/proc/self/fd/${folder}/${name}`
      mkdirSync(next, 0o700)
      const opened = openSync(next, folderFlags)
      closeSync(folder)
      folder = opened
    }
  } finally {
    closeSync(folder)
  }
}

/** `undefined`: it begins with a variable that is not set. */
function expand(text: string, { home, env }: Pick<NamedPathsOptions, 'home' | 'env'>): string | undefined {
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)/.exec(text)
  const start = variable ? env[variable[1]!] : text.startsWith('~') ? home : ''
  const rest = variable ? text.slice(variable[0].length) : text.replace(/^~/, '')
  if (start === undefined || (variable && !isAbsolute(start))) return undefined
  return normalize(`${start}${rest}`).replace(/(?<=.)\/+$/, '')
}
