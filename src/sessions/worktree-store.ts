/** The only SQL of worktrees: those that this hub created. They outlive the records of their sessions. */
import type { SandboxChoice } from '../api/sandbox.ts'
import type { Store, Tables } from '../store/store.ts'

export interface WorktreeRecord {
  readonly path: string
  /** The git directory that all worktrees of the repository share, without symbolic links. */
  readonly repository: string
  /** The branch that the hub created for it. `undefined`: the branch was there before. */
  readonly branch: string | undefined
  /** The template of the session it was made for. */
  readonly template: string
  /** The set-up of the template has run, or there is none. */
  readonly isSetUp: boolean
  /** That of the last confined session in it. `off`: there was none. `undefined`: this was not recorded. */
  readonly sandbox: SandboxChoice | undefined
  readonly createdAt: string
}

export interface WorktreeStore {
  /** In the order of their creation. */
  list(): Promise<readonly WorktreeRecord[]>
  find(path: string): Promise<WorktreeRecord | undefined>
  /** Replaces the record of the same path. */
  save(record: WorktreeRecord): Promise<void>
  remove(path: string): Promise<void>
}

export function createWorktreeStore({ db }: Store, hubId: string): WorktreeStore {
  const rows = () => db.selectFrom('worktrees').selectAll().where('hub_id', '=', hubId)
  return {
    list: async () => (await rows().orderBy('created_at').orderBy('path').execute()).map(toRecord),
    async find(path) {
      const row = await rows().where('path', '=', path).executeTakeFirst()
      return row && toRecord(row)
    },
    async save({ path, repository, branch, template, isSetUp, sandbox, createdAt }) {
      const values = {
        repository,
        branch: branch ?? null,
        template,
        is_set_up: isSetUp ? (1 as const) : (0 as const),
        sandbox: sandbox === undefined ? null : JSON.stringify(sandbox),
        created_at: createdAt,
      }
      await db
        .insertInto('worktrees')
        .values({ hub_id: hubId, path, ...values })
        .onConflict((conflict) => conflict.columns(['hub_id', 'path']).doUpdateSet(values))
        .execute()
    },
    async remove(path) {
      await db.deleteFrom('worktrees').where('hub_id', '=', hubId).where('path', '=', path).execute()
    },
  }
}

function toRecord(row: Tables['worktrees']): WorktreeRecord {
  return {
    path: row.path,
    repository: row.repository,
    branch: row.branch ?? undefined,
    template: row.template,
    isSetUp: row.is_set_up === 1,
    sandbox: row.sandbox === null ? undefined : (JSON.parse(row.sandbox) as SandboxChoice),
    createdAt: row.created_at,
  }
}
