/** Writing a file that stays inside a folder, whatever links are in the way. */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HubError, messageOf } from '../base/hub-error.ts'

/** Replaces what was in the file. Answers where it is. */
export async function writeInside(folder: string, path: string, bytes: Buffer): Promise<string> {
  const root = await realFolder(folder, `The workspace ${folder} is gone.`)
  const asked = resolve(root, path)
  const parent = await realFolder(
    dirname(asked),
    `"path": there is no folder ${dirname(asked)}. Make it first, or name a file in one that exists.`,
  )
  const target = join(parent, basename(asked))
  if (asked === root || !`${parent}${sep}`.startsWith(root === sep ? sep : `${root}${sep}`)) {
    throw new HubError(
      'forbidden',
      `"path": ${path} is outside the workspace ${folder}. Name a file inside it, such as "screen.png".`,
    )
  }
  await write(target, bytes)
  return target
}

async function realFolder(path: string, otherwise: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw new HubError('invalid', otherwise, { cause: error })
  }
}

/** Not through a link, wherever it leads, and without waiting for the other end of a pipe. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function write(target: string, bytes: Buffer): Promise<void> {
  try {
    await using file = await open(target, flags)
    if (!(await file.stat()).isFile()) throw new Error('it is no file')
    await file.truncate()
    await file.writeFile(bytes)
  } catch (error) {
    const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
    const why = isLink ? 'it is a symbolic link' : messageOf(error)
    throw new HubError('invalid', `"path": ${target} cannot be written: ${why}. Name another file.`, { cause: error })
  }
}
