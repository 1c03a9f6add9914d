/** The only SQL of repositories: those of this hub, since another hub may be on another machine. */
import type { Store, Tables } from '../store/store.ts'

export interface RepositoryRecord {
  readonly id: string
  readonly name: string
  /** Without symbolic links. */
  readonly path: string
  /** `undefined`: the working tree is followed. */
  readonly ref: string | undefined
  /** The path of the workspace, as its sessions record it. `undefined`: a person added the repository. */
  readonly workspace: string | undefined
  readonly addedAt: string
}

export interface RepositoryStore {
  /** Those that people added, by name. */
  list(): Promise<readonly RepositoryRecord[]>
  listWorkspaces(): Promise<readonly RepositoryRecord[]>
  find(id: string): Promise<RepositoryRecord | undefined>
  insert(record: RepositoryRecord): Promise<void>
  remove(id: string): Promise<void>
}

export function createRepositoryStore({ db }: Store, hubId: string): RepositoryStore {
  const rows = () => db.selectFrom('repositories').selectAll().where('hub_id', '=', hubId).orderBy('name')
  return {
    list: async () => (await rows().where('workspace', 'is', null).execute()).map(toRecord),
    listWorkspaces: async () => (await rows().where('workspace', 'is not', null).execute()).map(toRecord),
    async find(id) {
      const row = await rows().where('id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },
    async insert({ id, name, path, ref, workspace, addedAt }) {
      await db
        .insertInto('repositories')
        .values({ id, hub_id: hubId, name, path, ref: ref ?? '', workspace: workspace ?? null, added_at: addedAt })
        .execute()
    },
    async remove(id) {
      await db.deleteFrom('repositories').where('hub_id', '=', hubId).where('id', '=', id).execute()
    },
  }
}

function toRecord({ id, name, path, ref, workspace, added_at: addedAt }: Tables['repositories']): RepositoryRecord {
  return { id, name, path, ref: ref === '' ? undefined : ref, workspace: workspace ?? undefined, addedAt }
}
