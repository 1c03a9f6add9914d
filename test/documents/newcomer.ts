/** Somebody who has just cloned the repository: a copy of the tree, an empty home, and nothing of ours in the environment. */
import { cp, mkdir, symlink } from 'node:fs/promises'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reapHolders } from '../harness/reap-holders.ts'
import { createTempHome } from '../harness/temp-home.ts'

export interface Newcomer extends AsyncDisposable {
  /** The clone. */
  readonly path: string
  /** The data directory. */
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

export const root = fileURLToPath(new URL('../../', import.meta.url))

const notCloned = new Set(['.git', 'node_modules', 'dist', 'coverage', '.cache'])

export async function createNewcomer(): Promise<Newcomer> {
  const place = await createTempHome()
  const path = join(place.path, 'signalbox')
  const home = join(place.path, 'home')
  await mkdir(home)
  await cp(root, path, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !notCloned.has(relative(root, source)),
  })
  // Installed already, so that no test waits for a registry; the set-up finds nothing to do.
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  const dataDirectory = join(home, '.signalbox')
  return {
    path,
    home: dataDirectory,
    env: environment(home, path),
    async [Symbol.asyncDispose]() {
      await reapHolders(dataDirectory)
      await place[Symbol.asyncDispose]()
    },
  }
}

function environment(home: string, path: string): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  // Under npm the packages' programs come first; a newcomer has only what the system has.
  const places = PATH.split(delimiter).filter((place) => !place.endsWith('node_modules/.bin'))
  return {
    // Pages about the command itself call it as it is called where it is installed.
    PATH: [...places, join(path, 'bin')].join(delimiter),
    LANG,
    HOME: home,
    // The usual port may be taken here. The commands find the hub by its data directory.
    SIGNALBOX_PORT: '0',
    npm_config_update_notifier: 'false',
  }
}
