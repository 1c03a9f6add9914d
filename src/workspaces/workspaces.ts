/** Workspaces as people see them: the files of a session, and what changed in them since its branch point. */
import type { Git } from '../base/careful-git.ts'
import { createGit } from '../base/careful-git.ts'
import { HubError, isNotFound, messageOf } from '../base/hub-error.ts'
import { type WorkspaceOwner, workspaceFolderOf } from '../base/workspace-folder.ts'
import type { PersonsEnvironment } from '../config/config.ts'
import type { Feature } from '../feature/feature.ts'
import { reachOfReadingGit } from '../git/git.ts'
import type { Sandboxes } from '../sandbox/sandbox.ts'
import { createWorkspaceProvider } from './workspace-tools.ts'
import type { Workspace } from './workspace.ts'

export interface WorkspacesOptions {
  readonly hubId: string
  readonly environment: Pick<PersonsEnvironment, 'forPrograms'>
  readonly sandboxes: Pick<Sandboxes, 'reach'>
  readonly findSession: (nameOrId: string) => Promise<WorkspaceSession>
  readonly threads: { lastPromptOf(sessionId: string): Promise<string | undefined> }
}

export interface WorkspaceSession extends WorkspaceOwner {
  readonly id: string
  readonly hubId: string
  readonly resumedFrom: string | undefined
  readonly createdAt: string
}

export function createWorkspaces({ hubId, environment, sandboxes, findSession, threads }: WorkspacesOptions): Feature {
  async function open(nameOrId: string, signal: AbortSignal): Promise<Workspace> {
    const session = await findSession(nameOrId)
    if (session.hubId !== hubId) {
      throw new HubError('unavailable', `"session": the workspace of "${session.name}" is on another host.`)
    }
    const folder = workspaceFolderOf(session)
    const reach = await reachOfReadingGit(sandboxes, folder.path)
    const git = withReasons(createGit(await environment.forPrograms(), reach, signal))
    return { session, folder, since: await beginOf(session), git }
  }

  /** A session that continues a conversation continues its work too. */
  async function beginOf({ createdAt, resumedFrom, workspacePath }: WorkspaceSession): Promise<string> {
    if (resumedFrom === undefined) return createdAt
    const earlier = await findSession(resumedFrom).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
      return undefined
    })
    return earlier && earlier.workspacePath === workspacePath ? beginOf(earlier) : createdAt
  }

  return { providers: [createWorkspaceProvider({ open, lastPromptOf: (id) => threads.lastPromptOf(id) })] }
}

/** A person can repair a repository that git cannot read, so the error gives git's reason. */
function withReasons(git: Git): Git {
  const run = async (directory: string, ...args: readonly string[]) => {
    try {
      return await git(directory, ...args)
    } catch (error) {
      throw new HubError('unavailable', `git cannot read ${directory}: ${messageOf(error)}`, { cause: error })
    }
  }
  return Object.assign(run, { start: git.start })
}
