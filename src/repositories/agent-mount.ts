/** The feature that gives each agent its mount `repositories`. It needs the sessions, which are made after repositories. */
import { isNotFound } from '../base/hub-error.ts'
import { createAgentProvider } from './agent-tools.ts'
import type { AgentMount, AgentMountOptions, RepositoryActions } from './repository.ts'
import type { SessionRepositories } from './session-repositories.ts'
import { createSessionRepositories } from './session-repositories.ts'
import { createVisibleRepositories } from './visible-repositories.ts'
import type { WorkspaceRecords } from './workspace-records.ts'

interface MountParts {
  readonly hubId: string
  readonly repositories: RepositoryActions
  readonly workspaces: WorkspaceRecords
}

const sweepEveryMs = 10 * 60_000

export function createAgentMount(
  { hubId, repositories, workspaces }: MountParts,
  { sessions, templates }: AgentMountOptions,
): AgentMount {
  const ofSession = (session: string): SessionRepositories =>
    createSessionRepositories({
      load: () => sessions.find(session),
      namesOf: (template) => templates.find(template).template.repositories,
      findAdded: (name) => repositories.find(name).catch(ignoreMissing),
      workspaceAt: (path, folder) => workspaces.at(path, folder),
      refresh: (record, wait) => repositories.refresh(record, wait),
    })

  async function dropUnused(): Promise<void> {
    const paths = (await sessions.list({ hubId })).map(({ workspacePath }) => workspacePath)
    await workspaces.keepOnly(new Set(paths))
  }

  return {
    providersOf: (session) => [createAgentProvider({ repositories, session, own: ofSession(session) })],
    visibleTo: (session) =>
      createVisibleRepositories(
        repositories,
        session === undefined ? repositories.list : async () => (await ofSession(session).list()).records,
      ),
    sweeps: [{ everyMs: sweepEveryMs, run: dropUnused }],
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}
