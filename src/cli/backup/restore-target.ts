/** Checks that a directory may become the restored one, keeps hubs out of it meanwhile, and puts the new one in its place. */
import { readdir, realpath, rename } from 'node:fs/promises'
import { isDataDirectory, lockDataDirectory } from '../../base/data-directory.ts'
import { HubError } from '../../base/hub-error.ts'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'

export interface RestoreTarget extends Disposable {
  /** Without symbolic links. */
  readonly path: string
  /** Gives the new directory the path of the target. Returns where the earlier one is now, if there was one. */
  replaceWith(directory: string): Promise<string | undefined>
}

/** Refuses a directory in use, even with `replace`. */
export async function openRestoreTarget(home: string, { replace }: { replace: boolean }): Promise<RestoreTarget> {
  const files = await filesIn(home)
  const path = files === undefined ? home : await realpath(home)
  // The rename fails if a hub has started in it meanwhile, because it is no longer empty.
  if (files === undefined || files.length === 0) {
    return {
      path,
      async replaceWith(directory) {
        await rename(directory, path)
        return undefined
      },
      [Symbol.dispose]() {},
    }
  }
  if (!isDataDirectory(files)) {
    throw new CliError('failed', `${home} holds files that are not Signalbox's. Name another directory with --home.`)
  }
  using stack = new DisposableStack()
  stack.use(await lockDataDirectory(path).catch(explainConflict))
  await refuseHolders(home)
  if (!replace) {
    throw new CliError(
      'failed',
      `${home} is not empty. Name another directory with --home, or move this one aside with --replace.`,
    )
  }
  const lock = stack.move()
  return {
    path,
    replaceWith: (directory) => exchange(path, directory),
    [Symbol.dispose]: () => lock.dispose(),
  }
}

/** Keeps the earlier directory: it has workspaces and newer data. */
async function exchange(path: string, directory: string): Promise<string> {
  const aside = `${path}.before-${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}`
  await rename(path, aside)
  try {
    await rename(directory, path)
  } catch (error) {
    await rename(aside, path)
    throw error
  }
  return aside
}

async function refuseHolders(home: string): Promise<void> {
  // Loaded here, because `restore --help` needs no terminals.
  const { livingHolders } = await import('../doctor/living-holders.ts')
  const { length } = await livingHolders(home)
  if (length === 0) return
  throw new CliError(
    'failed',
    `${length === 1 ? 'A program of a session runs' : `${length} programs of sessions run`} in ${home}. Start the hub and end them with "signalbox kill", or name another directory with --home.`,
  )
}

function explainConflict(error: unknown): never {
  if (error instanceof HubError && error.code === 'conflict')
    throw new CliError('directory-in-use', error.message, { cause: error })
  throw error
}

async function filesIn(directory: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const why = code === 'ENOTDIR' ? 'is not a directory' : `cannot be read: ${reasonOf(error)}`
    throw new CliError('failed', `${directory} ${why}. Name another one with --home.`, { cause: error })
  }
}
