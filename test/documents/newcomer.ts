/** A person with an empty home and none of our variables, who follows a page of the documentation. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { reapHolders } from '../harness/reap-holders.ts'
import { createTempHome } from '../harness/temp-home.ts'

export interface Newcomer extends AsyncDisposable {
  /** The clone, where the person is. */
  readonly path: string
  /** The data directory. */
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

export const root = fileURLToPath(new URL('../../', import.meta.url))

const notCloned = new Set(['.git', 'node_modules', 'dist', 'coverage', '.cache'])

/** A person who has just cloned the repository, and may change the clone. */
export function createNewcomer(): Promise<Newcomer> {
  return createPerson(async (path) => {
    await mkdir(path)
    const names = (await readdir(root)).filter((name) => !notCloned.has(name))
    // A program copies thousands of files with a tenth of the CPU.
    await promisify(execFile)('cp', ['-Rp', ...names.map((name) => join(root, name)), path])
    // The packages are already installed, so that no test waits for a registry.
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  })
}

/**
 * A person who has started a hub before, so that the bundle is there. Links stand for the files of the clone: the person
 * may add files beside them, and `runSteps` refuses to write through them.
 */
export function createReader(): Promise<Newcomer> {
  return createPerson(async (path) => {
    await mkdir(path)
    const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory())
    const cloned = folders.map(({ name }) => name).filter((name) => !notCloned.has(name))
    // No other files, because the commands of a page may write files of the same name.
    const names = [
      ...cloned.filter((name) => name !== 'bin'),
      '.cache',
      'node_modules',
      'package.json',
      'package-lock.json',
    ]
    await Promise.all(names.map((name) => symlink(join(root, name), join(path, name))))
    // It is on the PATH. No sandbox may write a directory with a link to such a one.
    await cp(join(root, 'bin'), join(path, 'bin'), { recursive: true })
  })
}

async function createPerson(clone: (path: string) => Promise<void>): Promise<Newcomer> {
  const place = await createTempHome()
  const path = join(place.path, 'signalbox')
  const home = join(place.path, 'home')
  await mkdir(home)
  // `npx` finds the packages here, so that no test waits for a registry.
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'))
  await clone(path)
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
  // npm puts the programs of packages first. A newcomer has only those of the system.
  const places = PATH.split(delimiter).filter((place) => !place.endsWith('node_modules/.bin'))
  return {
    // Some pages call the command by its name, as after an installation.
    PATH: [...places, join(path, 'bin')].join(delimiter),
    LANG,
    HOME: home,
    // The default ports may be in use here. The commands find the hub by its data directory.
    SIGNALBOX_PORT: '0',
    SIGNALBOX_REPOSITORY_MCP_PORT: '0',
    npm_config_update_notifier: 'false',
  }
}
