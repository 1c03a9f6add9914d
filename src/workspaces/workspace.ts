/** The workspace of a session, as the files of this folder need it. */
import type { Git } from '../base/careful-git.ts'
import type { Folder } from '../base/open-inside.ts'

export interface Workspace {
  readonly session: { readonly id: string; readonly name: string }
  /** The same folder as when the session was created. */
  readonly folder: Folder
  /** When the conversation in it began. */
  readonly since: string
  readonly git: Git
}
