/**
 * The paths that a sandbox names, and what they lead to on this machine. An agent may have written what is inside a
 * directory that is open for writing. So a path in there that leads elsewhere is left out: otherwise a link that one
 * agent leaves behind would open the place it names to the next.
 */
import { mkdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import type { Sandbox } from '../api/sandbox.ts'
import type { Mount } from './mounts.ts'
import { isInside } from './mounts.ts'

export interface NamedPathsOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  readonly workspace: string
}

/** A path that is missing is left out. One to write that ends with a slash is made. */
export function namedMounts(
  { write, read }: Pick<Sandbox, 'write' | 'read'>,
  options: NamedPathsOptions,
): readonly Mount[] {
  const named = [
    ...write.map((text) => ({ is: 'write', text }) as const),
    ...read.map((text) => ({ is: 'read', text }) as const),
  ].flatMap(({ is, text }) => {
    const path = expand(text, options)
    return path === undefined ? [] : [{ is, path, isMade: is === 'write' && text.endsWith('/') }]
  })
  const writable = [options.workspace, ...named.filter(({ is }) => is === 'write').map(({ path }) => path)]
  return named.flatMap(({ is, path, isMade }): readonly Mount[] => {
    if (isMade) mkdirSync(path, { recursive: true, mode: 0o700 })
    const source = realpathOf(path)
    if (source === undefined || !leadsWhereItSays(path, source, writable)) return []
    const mount: Mount = { is, path, source }
    return source === path ? [mount] : [mount, { is, path: source, source }]
  })
}

function leadsWhereItSays(path: string, source: string, writable: readonly string[]): boolean {
  return writable
    .filter((directory) => isInside(path, directory))
    .every((directory) => {
      const actual = realpathOf(directory)
      return actual !== undefined && source === join(actual, path.slice(directory.length))
    })
}

/** `undefined`: it begins with a variable that is not set. */
function expand(text: string, { home, env }: NamedPathsOptions): string | undefined {
  const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)/.exec(text)
  const start = variable ? env[variable[1]!] : text.startsWith('~') ? home : ''
  const rest = variable ? text.slice(variable[0].length) : text.replace(/^~/, '')
  if (start === undefined || (variable && !isAbsolute(start))) return undefined
  return normalize(`${start}${rest}`).replace(/(?<=.)\/+$/, '')
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
