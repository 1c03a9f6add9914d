/**
 * The workspaces of sessions as repositories. Their records are made when an agent first asks, are not listed to people,
 * and go when no session has the workspace any more.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { createSerial } from '../base/serial.ts'
import { findFolder } from './folder.ts'
import type { HubPlaces } from './folder.ts'
import type { KeptIndexes } from './kept-indexes.ts'
import { createPathMap } from './path-map.ts'
import type { RepositoryRecord, RepositoryStore } from './repository-store.ts'

export interface WorkspaceRecords {
  /**
   * Throws if the folder may not be indexed. If a person added the same folder, it is that repository. `folder`: what is
   * at the path of the workspace.
   */
  at(workspacePath: string, folder: Folder): Promise<RepositoryRecord>
  /** Removes the records of all other workspaces. */
  keepOnly(workspacePaths: ReadonlySet<string>): Promise<void>
}

export interface WorkspaceRecordsOptions {
  readonly rows: RepositoryStore
  readonly indexes: Pick<KeptIndexes, 'remove'>
  readonly places: HubPlaces
}

/** The name by which agents know their own workspace. */
export const workspaceName = 'workspace'

/** Each one has an index on disk. The oldest is given up for a new one, and indexed again when it is needed. */
const mostWorkspaces = 50

export function createWorkspaceRecords({ rows, indexes, places }: WorkspaceRecordsOptions): WorkspaceRecords {
  const oneByOne = createSerial()
  // A session records the path as the hub sees it.
  const noMap = createPathMap([])

  async function remove({ id }: RepositoryRecord): Promise<void> {
    await indexes.remove(id)
    await rows.remove(id)
  }

  async function at(workspacePath: string, folder: Folder): Promise<RepositoryRecord> {
    const path = findFolder(folder.path, noMap, places)
    // An agent may have put a link there after the look.
    if (path !== folder.path) throw new HubError('unavailable', `The workspace ${workspacePath} no longer exists.`)
    const added = (await rows.list()).find((each) => each.path === path && each.ref === undefined)
    if (added) return added
    const all = await rows.listWorkspaces()
    const known = all.find(({ workspace }) => workspace === workspacePath)
    if (known?.path === path) return { ...known, name: workspaceName }
    // Another folder is at this path now.
    if (known) await remove(known)
    const oldestFirst = all.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt))
    for (const old of oldestFirst.slice(0, Math.max(0, all.length + 1 - mostWorkspaces))) await remove(old)
    const id = `w${randomBytes(8).toString('hex')}`
    const addedAt = new Date().toISOString()
    const record = { id, path, ref: undefined, workspace: workspacePath, addedAt }
    await rows.insert({ ...record, name: id })
    return { ...record, name: workspaceName }
  }

  return {
    at: (workspacePath, folder) => oneByOne(() => at(workspacePath, folder)),
    keepOnly: (workspacePaths) =>
      oneByOne(async () => {
        for (const record of await rows.listWorkspaces())
          if (!workspacePaths.has(record.workspace ?? '')) await remove(record)
      }),
  }
}
