/**
 * A private directory beside the result, for files that are not complete yet. An interrupted command leaves it behind,
 * and the next run empties it. It has the lock of a data directory, so no hub starts in it.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockDataDirectory } from '../../base/data-directory.ts'
import { HubError } from '../../base/hub-error.ts'
import { makeDirectory } from '../../base/make-directory.ts'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'

export async function openStagingDirectory(path: string): Promise<AsyncDisposable> {
  try {
    makeDirectory(path, 0o700)
  } catch (error) {
    throw new CliError('failed', `${path} cannot be created: ${reasonOf(error)}.`, { cause: error })
  }
  const lock = await lockDataDirectory(path).catch((error: unknown) => {
    if (!(error instanceof HubError && error.code === 'conflict')) throw error
    throw new CliError('failed', `Another command is writing ${path}. Wait until it has ended.`)
  })
  await using stack = new AsyncDisposableStack()
  stack.use(lock)
  // Does nothing once the directory has its final name.
  stack.defer(() => rm(path, { recursive: true, force: true }))
  const left = (await readdir(path)).filter((name) => name !== 'hub.lock')
  for (const name of left) await rm(join(path, name), { recursive: true })
  const opened = stack.move()
  return { [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
