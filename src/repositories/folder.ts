/** Which folders may be indexed: never the data directory of the hub, with its keys, tokens and journals. */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'
import { isBelow } from './path-map.ts'
import type { PathMap } from './path-map.ts'

export interface HubPlaces {
  readonly home: string
  /** The folder in it with the workspaces that the hub made. */
  readonly workspaces: string
}

/** The folder that a person or a session names, without symbolic links. Throws if it may not be indexed. */
export function findFolder(given: string, map: PathMap, places: HubPlaces): string {
  if (!isAbsolute(given)) throw new HubError('invalid', `"path": give an absolute path, not "${given}".`)
  const inContainer = map.fromHost(given)
  const path = (inContainer === undefined ? undefined : realFolder(inContainer)) ?? realFolder(given)
  if (path === undefined) throw new HubError('not-found', whyNoFolder(given))
  assertOutsideHome(path, places)
  return path
}

/** `undefined`: there is no such folder, or it cannot be seen. */
export function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

function whyNoFolder(path: string): string {
  try {
    if (!statSync(path).isDirectory()) return `"${path}" is not a folder. Give the folder that contains it.`
  } catch (error) {
    return `The hub cannot see the folder "${path}": ${systemReason(error)}. If the hub runs in a container, mount the folder and set SIGNALBOX_REPOSITORY_PATH_MAP.`
  }
  return `The hub cannot read the folder "${path}".`
}

/** The workspaces of sessions are in the data directory, and are not the hub's own data. */
function assertOutsideHome(path: string, { home, workspaces }: HubPlaces): void {
  const realHome = realpathSync(home)
  const ownFolder = `${realHome}${workspaces.slice(home.length)}`
  if (isBelow(realHome, path)) {
    throw new HubError(
      'forbidden',
      `"${path}" contains the data directory of the hub, with its keys and tokens. Choose a folder below it.`,
    )
  }
  if (isBelow(path, realHome) && (path === ownFolder || !isBelow(path, ownFolder))) {
    throw new HubError('forbidden', `"${path}" is in the data directory of the hub. Choose another folder.`)
  }
}
