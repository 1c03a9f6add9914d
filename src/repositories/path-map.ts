/** The two names of a folder: the host's, and the one in the container that the hub runs in. */
import { join, resolve, sep } from 'node:path'
import type { MappedPath } from '../config/config.ts'

export interface PathMap {
  toHost(path: string): string
  /** `undefined`: no folder of the map has it. */
  fromHost(path: string): string | undefined
}

export function createPathMap(pairs: readonly MappedPath[]): PathMap {
  function moved(path: string, from: keyof MappedPath, to: keyof MappedPath): string | undefined {
    const [pair] = pairs
      .filter((each) => isBelow(path, each[from]))
      .toSorted((one, other) => other[from].length - one[from].length)
    return pair && resolve(join(pair[to], path.slice(pair[from].length)))
  }
  return {
    toHost: (path) => moved(path, 'container', 'host') ?? path,
    fromHost: (path) => moved(path, 'host', 'container'),
  }
}

/** True for the folder itself, too. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`)
}
