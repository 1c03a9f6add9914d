/**
 * The repositories of one session: those that its template names, and its workspace if that is a git work tree. The
 * workspace has a record of its own, unless a person added the same folder. Sessions with one workspace share it. A
 * session that answers questions about one repository has that one only.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { workspaceFolderOf } from '../base/workspace-folder.ts'
import type { WaitOptions } from './kept-indexes.ts'
import { answeredRepository } from './query/query.ts'
import type { RepositoryRecord, RepositorySession } from './repository.ts'

export interface SessionRepositories {
  /** A promise until the session is known. */
  loading(): Promise<void> | undefined
  /** Whether the agent is shown the mount. */
  hasAny(): boolean
  list(): Promise<{ readonly records: readonly RepositoryRecord[]; readonly missing: readonly string[] }>
  /** Throws if the session does not have it. */
  find(identifier: string): Promise<readonly RepositoryRecord[]>
  /** Brings the index of the workspace up to date. The others are watched. */
  freshen(records: readonly RepositoryRecord[], wait: WaitOptions): Promise<void>
}

export interface SessionRepositoriesOptions {
  readonly load: () => Promise<RepositorySession>
  /** The names of the repositories of a template. Throws if that cannot be read. */
  readonly namesOf: (template: string) => readonly string[]
  /** `undefined`: no person has added it. */
  readonly findAdded: (name: string) => Promise<RepositoryRecord | undefined>
  /** The record of a workspace. It is made with the first call. */
  readonly workspaceAt: (workspacePath: string, folder: Folder) => Promise<RepositoryRecord>
  readonly refresh: (record: RepositoryRecord, wait: WaitOptions) => Promise<unknown>
}

/** An agent waits this long for its own latest changes. Then it searches what was indexed before. */
const freshenMs = 5_000

export function createSessionRepositories(options: SessionRepositoriesOptions): SessionRepositories {
  const { namesOf, findAdded, workspaceAt, refresh } = options
  let session: RepositorySession | undefined
  let loading: Promise<void> | undefined

  function load(): Promise<void> | undefined {
    if (session) return undefined
    return (loading ??= options
      .load()
      .then((found) => void (session = found))
      .finally(() => (loading = undefined)))
  }

  async function list() {
    await load()
    const { template, workspacePath } = session!
    const answered = answeredRepository(session!)
    if (answered !== undefined) {
      return { records: [(await findAdded(answered)) ?? (await ofWorkspace(session!))], missing: [] }
    }
    const records = new Map<string, RepositoryRecord>()
    const missing: string[] = []
    for (const name of namesOf(template)) {
      const found = await findAdded(name)
      if (found) records.set(found.id, found)
      else missing.push(name)
    }
    if (isGitWorkTree(workspacePath)) {
      const workspace = await ofWorkspace(session!)
      records.set(workspace.id, workspace)
    }
    return { records: [...records.values()], missing }
  }

  async function ofWorkspace(owner: RepositorySession): Promise<RepositoryRecord> {
    return workspaceAt(owner.workspacePath, workspaceFolderOf(owner))
  }

  function hasNames(template: string): boolean {
    try {
      return namesOf(template).length > 0
    } catch {
      return true
    }
  }

  return {
    loading: () => load()?.catch(() => {}),
    // If the hub cannot tell, the agent is shown the mount, and a call says why it fails.
    hasAny: () =>
      session === undefined ||
      answeredRepository(session) !== undefined ||
      isGitWorkTree(session.workspacePath) ||
      hasNames(session.template),
    list,
    async find(identifier) {
      const { records } = await list()
      const found = records.filter(({ id, name, path }) => [id, name, path].includes(identifier))
      if (found.length > 0) return found
      const names = records.map(({ name }) => name).join(', ')
      throw new HubError('not-found', `This session has no repository "${identifier}". It has: ${names || 'none'}.`)
    },
    async freshen(records, { signal, onProgress }) {
      const inTime = AbortSignal.any([AbortSignal.timeout(freshenMs), ...(signal ? [signal] : [])])
      for (const record of records.filter(({ workspace }) => workspace !== undefined)) {
        // If it fails or takes longer, the last complete index answers. A search waits for a first one.
        await refresh(record, { signal: inTime, onProgress }).catch(() => {})
      }
      signal?.throwIfAborted()
    },
  }
}

function isGitWorkTree(folder: string): boolean {
  return existsSync(join(folder, '.git'))
}
