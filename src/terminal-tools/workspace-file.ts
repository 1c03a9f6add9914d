/** Writes a file that stays inside a folder, even if links in its path are created or changed during the write. */
import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { HubError, messageOf } from '../base/hub-error.ts'
import { type Folder, folderAt, openInside } from '../base/open-inside.ts'

/** For a session whose original workspace folder is not known. */
export function findWorkspace(path: string): Folder {
  try {
    return folderAt(path)
  } catch (error) {
    throw new HubError('invalid', `The workspace ${path} no longer exists.`, { cause: error })
  }
}

/** Replaces the content of the file. Returns its real path. */
export async function writeInside(folder: Folder, path: string, bytes: Buffer): Promise<string> {
  const root = folder.path
  const asked = resolve(root, path)
  const parent = await realFolder(
    dirname(asked),
    `"path": there is no folder ${dirname(asked)}. Create it first, or name a file in an existing folder.`,
  )
  const target = join(parent, basename(asked))
  if (asked === root || !`${parent}${sep}`.startsWith(root === sep ? sep : `${root}${sep}`)) {
    throw new HubError(
      'forbidden',
      `"path": ${path} is outside the workspace ${root}. Name a file inside it, such as "screen.png".`,
    )
  }
  await write(folder, target, bytes)
  return target
}

async function realFolder(path: string, otherwise: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw new HubError('invalid', otherwise, { cause: error })
  }
}

/** Opening a named pipe must not wait for its other end. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK

async function write(root: Folder, target: string, bytes: Buffer): Promise<void> {
  try {
    await using file = await openInside({ root, path: relative(root.path, target), flags })
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error('it is not a file')
    // The other link may be outside the workspace.
    if (stat.nlink > 1) throw new Error('it has another name elsewhere (a hard link)')
    await file.truncate()
    await file.writeFile(bytes)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why =
      code === 'ELOOP'
        ? 'it is a symbolic link'
        : code === 'ENOTDIR'
          ? 'a folder on the way was replaced'
          : messageOf(error)
    throw new HubError('invalid', `"path": ${target} cannot be written: ${why}. Name another file.`, { cause: error })
  }
}
