/** What a program needs to be found in a sandbox: its files, and its interpreter, wherever they are installed. */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import type { Mount } from './mounts.ts'
import { isOfSystem } from './system.ts'

/** A script that is run by a script, and so on. The kernel allows few. */
const mostInterpreters = 4

/** `searchPath`: the PATH of the program, for `#!/usr/bin/env`. */
export function programMounts(file: string, searchPath: string, depth = 0): readonly Mount[] {
  const source = realpathOf(file)
  if (source === undefined) return []
  const interpreter = depth < mostInterpreters ? interpreterOf(source, searchPath) : undefined
  return [
    ...shown(source),
    ...linksTo(file, source),
    ...(interpreter === undefined ? [] : programMounts(interpreter, searchPath, depth + 1)),
  ]
}

/** The name by which people run it, also where the directory of that name is itself reached by a link. */
function linksTo(file: string, target: string): readonly Mount[] {
  const places = new Set([file, join(realpathOf(dirname(file)) ?? '/', basename(file))])
  return [...places].flatMap((path) =>
    path === target || isOfSystem(path) ? [] : [{ is: 'link', path, target } as const],
  )
}

/** A package of npm brings its dependencies beside it. Of everything else only the file is shown. */
export function packageMounts(directory: string): readonly Mount[] {
  const source = realpathOf(directory)
  return source === undefined ? [] : shown(source)
}

function shown(source: string): readonly Mount[] {
  if (isOfSystem(source)) return []
  const at = source.indexOf('/node_modules/')
  const path = at < 0 ? source : source.slice(0, at + '/node_modules'.length)
  return [{ is: 'read', path, source: path }]
}

/** The program that the first line of a script names. */
function interpreterOf(file: string, searchPath: string): string | undefined {
  const [program, ...words] = firstLine(file)?.split(/\s+/).filter(Boolean) ?? []
  if (program === undefined) return undefined
  if (!program.endsWith('/env')) return isAbsolute(program) ? program : undefined
  const name = words.find((word) => !word.startsWith('-') && !word.includes('='))
  if (name === undefined) return undefined
  const places = searchPath.split(delimiter).filter(isAbsolute)
  return places.map((place) => join(place, name)).find((path) => existsSync(path))
}

/** Without the `#!`. `undefined`: it is not a script. */
function firstLine(file: string): string | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const buffer = Buffer.alloc(256)
    const text = buffer.subarray(0, readSync(descriptor, buffer)).toString('utf8')
    return text.startsWith('#!') ? text.slice(2).split('\n', 1)[0] : undefined
  } catch {
    return undefined // it can be executed, but not read
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
