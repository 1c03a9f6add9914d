/** Reads a file of a peer's workspace for the agent of another session, and nothing outside the workspace. */
import { constants, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { openInside } from '../base/open-inside.ts'
import { type WorkspaceOwner, workspaceFolderOf } from '../base/workspace-folder.ts'

/** Enough for a source file. A larger one would fill the context of the agent that reads it. */
export const mostFileBytes = 1024 * 1024

export interface WorkspacePlaces {
  /** The data directory of the hub: keys, tokens, journals. */
  readonly home: string
  /** The folder in it with the workspaces that the hub made. */
  readonly workspaces: string
}

/** Throws a `HubError` if there is no such file, or if it is not in the workspace. */
export async function readWorkspaceFile(owner: WorkspaceOwner, path: string, places: WorkspacePlaces): Promise<Buffer> {
  const parts = path.split('/')
  if (path.includes('\0') || parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new HubError('invalid', 'Give a relative path inside the workspace, without "." and "..".')
  }
  try {
    const root = workspaceFolderOf(owner)
    assertOutside(`${root.path}${sep}${parts.join(sep)}`, root.path, places)
    // A pipe in the workspace must not make the hub wait.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK
    await using file = await openInside({ root, path: parts.join(sep), flags })
    const stats = await file.stat()
    if (!stats.isFile()) throw new HubError('invalid', `"${path}" is not a file.`)
    // A second name may be that of a file outside.
    if (stats.nlink > 1) throw new HubError('forbidden', `"${path}" has a second name (a hard link).`)
    if (stats.size > mostFileBytes) {
      throw new HubError('too-large', `"${path}" has ${stats.size} bytes. At most ${mostFileBytes} can be read.`)
    }
    // The file may grow during the read.
    const bytes = Buffer.alloc(mostFileBytes)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return Buffer.from(bytes.subarray(0, length))
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('not-found', `The workspace has no file "${path}" that can be read.`, { cause: error })
  }
}

/** A workspace may be above the data directory, as a home directory is. */
function assertOutside(file: string, workspace: string, { home, workspaces }: WorkspacePlaces): void {
  const isBelow = (path: string, folder: string) => `${path}${sep}`.startsWith(`${folder}${sep}`)
  const realHome = realpathSync(home)
  const ownFolder = `${realHome}${workspaces.slice(home.length)}`
  if (!isBelow(file, realHome)) return
  if (workspace !== ownFolder && isBelow(workspace, ownFolder)) return
  throw new HubError('forbidden', 'The data directory of the hub cannot be read.')
}
