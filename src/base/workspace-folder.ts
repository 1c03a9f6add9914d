/** The folder of a session's workspace, for code that reads it as the hub's user. */
import { HubError } from './hub-error.ts'
import { type Folder, folderAt } from './open-inside.ts'

export interface WorkspaceOwner {
  readonly name: string
  readonly workspacePath: string
  /** The folder as it was when the session was created. `undefined` if an earlier hub created it. */
  readonly workspaceFolder: Folder | undefined
}

/**
 * Throws if another folder is at its path now. An agent that may write around the workspace of another can put a link
 * there, which leads to files that no agent may see.
 */
export function workspaceFolderOf({ name, workspacePath, workspaceFolder }: WorkspaceOwner): Folder {
  try {
    const folder = folderAt(workspacePath)
    if (!workspaceFolder || workspaceFolder.id === folder.id) return folder
  } catch {
    // Treated like a folder that was replaced.
  }
  throw new HubError('unavailable', `The workspace of "${name}", ${workspacePath}, no longer exists.`)
}
