/** The mounts with which a sandbox can run a program: its files and its interpreter, wherever they are installed. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { onPath } from '../base/find-program.ts'
import type { Mount } from './mounts.ts'
import { isAtOrInside } from './mounts.ts'
import { isOfSystem } from './system.ts'
import { realpathOf, trustedPath } from './trusted-path.ts'

/** A script that is run by a script, and so on. The kernel allows few. */
const mostInterpreters = 4

export interface ProgramPlaces {
  /** The PATH of the program, for `#!/usr/bin/env`. */
  readonly searchPath: string
  /** Directories that agents may have written. */
  readonly writable: readonly string[]
}

export function programMounts(file: string, places: ProgramPlaces, depth = 0): readonly Mount[] {
  const source = trustedPath(file, places.writable)
  if (source === undefined) return []
  const interpreter = depth < mostInterpreters ? interpreterOf(source, places) : undefined
  return [
    ...shown(source),
    ...linksTo(file, source),
    ...(interpreter === undefined ? [] : programMounts(interpreter, places, depth + 1)),
  ]
}

/** Links for the names by which people run the program, also if the directory of a name is itself reached by a link. */
function linksTo(file: string, target: string): readonly Mount[] {
  const places = new Set([file, join(realpathOf(dirname(file)) ?? '/', basename(file))])
  return [...places].flatMap((path) =>
    path === target || isOfSystem(path) ? [] : [{ is: 'link', path, target } as const],
  )
}

export function packageMounts(directory: string, { writable }: Pick<ProgramPlaces, 'writable'>): readonly Mount[] {
  const source = trustedPath(directory, writable)
  return source === undefined ? [] : shown(source)
}

/** An npm package has its dependencies beside it, so all of `node_modules` is shown. Any other path is shown alone. */
function shown(source: string): readonly Mount[] {
  if (isOfSystem(source)) return []
  const path = packageDirectory(source) ?? source
  return [{ is: 'read', path, source: path }]
}

export function packageDirectory(path: string): string | undefined {
  const at = path.indexOf('/node_modules/')
  return at < 0 ? undefined : path.slice(0, at + '/node_modules'.length)
}

/**
 * The program that the first line of a script names. An agent may have written the script, and could name any file. So
 * such a script gets only a program that it names without a path, that is on the PATH, and that is not itself a script.
 */
function interpreterOf(file: string, { searchPath, writable }: ProgramPlaces): string | undefined {
  const [program, ...words] = firstLine(file)?.split(/\s+/).filter(Boolean) ?? []
  if (program === undefined) return undefined
  const isUntrusted = writable.some((directory) => isAtOrInside(file, directory))
  if (!program.endsWith('/env')) return isAbsolute(program) && !isUntrusted ? program : undefined
  const name = words.find((word) => !word.startsWith('-') && !word.includes('='))
  if (name === undefined || name.includes('/')) return undefined
  const found = onPath(name, searchPath)
  return found !== undefined && isUntrusted && firstLine(found) !== undefined ? undefined : found
}

/** Without the `#!`. `undefined`: it is not a script. */
function firstLine(file: string): string | undefined {
  let descriptor: number | undefined
  try {
    // An agent may have put a pipe there.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const buffer = Buffer.alloc(256)
    const text = buffer.subarray(0, readSync(descriptor, buffer)).toString('utf8')
    return text.startsWith('#!') ? text.slice(2).split('\n', 1)[0] : undefined
  } catch {
    return undefined // it can be executed, but not read
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
