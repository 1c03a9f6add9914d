/** The paths that a sandbox names, and their targets on this machine. */
import { mkdirSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import type { Sandbox } from '../api/sandbox.ts'
import type { Mount } from './mounts.ts'
import { realpathOf, trustedPath } from './trusted-path.ts'

export interface NamedPathsOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** Directories that agents may have written, including those of `write`. */
  readonly writable: readonly string[]
}

/** Leaves out a path that is missing, or that an agent may have redirected. */
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
export function writablePaths(
  write: Sandbox['write'],
  options: Pick<NamedPathsOptions, 'home' | 'env'>,
): readonly string[] {
  return write.flatMap((text) => {
    const path = expand(text, options)
    if (path === undefined) return []
    if (text.endsWith('/')) mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathOf(path) ?? []
  })
}

/** `undefined`: it begins with a variable that is not set. */
function expand(text: string, { home, env }: Pick<NamedPathsOptions, 'home' | 'env'>): string | undefined {
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)/.exec(text)
  const start = variable ? env[variable[1]!] : text.startsWith('~') ? home : ''
  const rest = variable ? text.slice(variable[0].length) : text.replace(/^~/, '')
  if (start === undefined || (variable && !isAbsolute(start))) return undefined
  return normalize(`${start}${rest}`).replace(/(?<=.)\/+$/, '')
}
