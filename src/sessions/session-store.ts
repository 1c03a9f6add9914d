/** The only SQL of sessions. */
import type { Confined, SandboxChoice } from '../api/sandbox.ts'
import type { Activity, SessionMode, SessionStatus, TerminalSize } from '../api/session.ts'
import { livingStatuses } from '../api/session.ts'
import type { TerminalSettings } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Store, Tables } from '../store/store.ts'

export interface SessionRecord {
  readonly id: string
  readonly hubId: string
  readonly name: string
  readonly template: string
  readonly command: string
  /** `undefined`: `command` is a shell line. */
  readonly args: readonly string[] | undefined
  /** Replaces `{agent_args}` in `args`. */
  readonly agentArgs: readonly string[]
  /** `undefined`: the session has no conversation that can be resumed. */
  readonly conversation: { readonly id: string | undefined } | undefined
  /** The id of the session whose conversation it continues. */
  readonly resumedFrom: string | undefined
  /** The model that a person chose for the built-in agent. */
  readonly model: string | undefined
  /** The sandbox that the request named. `undefined`: that of the template. */
  readonly sandbox: SandboxChoice | undefined
  /** How its program is confined, or will be. `undefined`: not at all. */
  readonly confined: Confined | undefined
  /** Of a job: the prompt it gets in its turn. */
  readonly prompt: string | undefined
  readonly sessionType: 'long_running' | 'one_off'
  /** The name of the driver that runs it. */
  readonly driver: string
  readonly mode: SessionMode
  readonly backend: 'holder' | 'tmux'
  readonly status: SessionStatus
  /** A person asked to stop it. However it then ends, it counts as stopped. */
  readonly isStopAsked: boolean
  readonly description: string | undefined
  readonly labels: readonly string[]
  readonly workspacePath: string
  /** The directory at the time of the record. `undefined`: there was none, or an older release made the record. */
  readonly workspaceFolder: Folder | undefined
  readonly size: TerminalSize
  readonly terminalTools: readonly string[]
  readonly terminalSettings: TerminalSettings
  readonly socketName: string | undefined
  readonly tokenId: string | undefined
  readonly jobId: string | undefined
  readonly priority: number
  readonly exitCode: number | undefined
  readonly exitSignal: string | undefined
  readonly lastMessage: string | undefined
  /** The last known activity. */
  readonly activity: Activity | undefined
  readonly createdAt: string
  readonly startedAt: string | undefined
  readonly endedAt: string | undefined
  readonly updatedAt: string
}

/** The position of a session in the list, newest first. */
export type SessionPlace = Pick<SessionRecord, 'createdAt' | 'id'>

export interface SessionFilter {
  readonly status?: SessionStatus | undefined
  readonly hubId?: string
  readonly statuses?: readonly SessionStatus[]
  readonly isJob?: boolean
  readonly after?: SessionPlace | undefined
  readonly limit?: number
}

export interface SessionStore {
  /** Throws a conflict if a living session has that name. */
  insert(record: SessionRecord): Promise<void>
  find(id: string): Promise<SessionRecord | undefined>
  /** By id, otherwise the newest of that name. */
  findNamed(nameOrId: string): Promise<SessionRecord | undefined>
  findJob(jobId: string): Promise<SessionRecord | undefined>
  /** Newest first. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>
  /** The queued jobs of a hub, in the order in which they start. */
  listQueue(hubId: string, limit: number): Promise<readonly SessionRecord[]>
  /** How many jobs are ahead of each in the queue of its hub. Jobs that are not queued are left out. */
  placesInQueue(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  save(record: SessionRecord): Promise<void>
  remove(id: string): Promise<void>
}

export function createSessionStore({ db }: Store): SessionStore {
  const rows = () => db.selectFrom('sessions').selectAll()

  const waiting = () =>
    db
      .selectFrom('sessions')
      .where('status', '=', 'queued')
      .where('job_id', 'is not', null)
      .where('is_stop_asked', '=', 0)

  async function isNameTaken(name: string): Promise<boolean> {
    const living = rows().where('name', '=', name).where('status', 'in', livingStatuses)
    return (await living.executeTakeFirst()) !== undefined
  }

  return {
    async insert(record) {
      try {
        await db.insertInto('sessions').values(toStored(record)).execute()
      } catch (error) {
        if (!(await isNameTaken(record.name))) throw error
        throw new HubError(
          'conflict',
          `"name": a session named "${record.name}" is still alive. Choose another name, or end it with kill_session.`,
          { cause: error },
        )
      }
    },
    async find(id) {
      const row = await rows().where('id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },
    async findNamed(nameOrId) {
      const row = await rows()
        .where(({ eb, or }) => or([eb('id', '=', nameOrId), eb('name', '=', nameOrId)]))
        // An id comes first, so a session cannot hide another by taking its id as a name.
        .orderBy(({ eb }) => eb.case().when('id', '=', nameOrId).then(0).else(1).end())
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .executeTakeFirst()
      return row && toRecord(row)
    },
    async findJob(jobId) {
      const row = await rows().where('job_id', '=', jobId).executeTakeFirst()
      return row && toRecord(row)
    },
    async list({ status, statuses, hubId, isJob, after, limit }) {
      let query = rows().orderBy('created_at', 'desc').orderBy('id', 'desc')
      if (status) query = query.where('status', '=', status)
      if (statuses) query = query.where('status', 'in', statuses)
      if (hubId !== undefined) query = query.where('hub_id', '=', hubId)
      if (isJob) query = query.where('job_id', 'is not', null)
      if (after) {
        const { createdAt, id } = after
        query = query.where(({ eb, or, and }) =>
          or([eb('created_at', '<', createdAt), and([eb('created_at', '=', createdAt), eb('id', '<', id)])]),
        )
      }
      if (limit !== undefined) query = query.limit(limit)
      return (await query.execute()).map(toRecord)
    },
    async listQueue(hubId, limit) {
      const queue = waiting().selectAll().where('hub_id', '=', hubId)
      const inTurn = queue.orderBy('priority', 'desc').orderBy('created_at').orderBy('id').limit(limit)
      return (await inTurn.execute()).map(toRecord)
    },
    async placesInQueue(ids) {
      if (ids.length === 0) return new Map()
      const queue = waiting().select(({ fn }) => [
        'id',
        fn
          .agg<number | string>('row_number')
          .over((over) => over.partitionBy('hub_id').orderBy('priority', 'desc').orderBy('created_at').orderBy('id'))
          .as('turn'),
      ])
      const rows = await db.selectFrom(queue.as('queue')).selectAll().where('id', 'in', ids).execute()
      return new Map(rows.map(({ id, turn }) => [id, Number(turn) - 1]))
    },
    async save(record) {
      const { id, ...values } = toStored(record)
      await db.updateTable('sessions').set(values).where('id', '=', id).execute()
    },
    async remove(id) {
      await db.deleteFrom('sessions').where('id', '=', id).execute()
    },
  }
}

function toStored(record: SessionRecord): Tables['sessions'] {
  return {
    id: record.id,
    hub_id: record.hubId,
    name: record.name,
    template: record.template,
    command: record.command,
    args: record.args ? JSON.stringify(record.args) : null,
    session_type: record.sessionType,
    driver: record.driver,
    mode: record.mode,
    backend: record.backend,
    status: record.status,
    is_stop_asked: record.isStopAsked ? 1 : 0,
    description: record.description ?? null,
    labels: JSON.stringify(record.labels),
    workspace_path: record.workspacePath,
    workspace_folder: record.workspaceFolder ? JSON.stringify(record.workspaceFolder) : null,
    cols: record.size.cols,
    rows: record.size.rows,
    terminal_tools: JSON.stringify(record.terminalTools),
    terminal_settings: JSON.stringify(record.terminalSettings),
    socket_name: record.socketName ?? null,
    token_id: record.tokenId ?? null,
    job_id: record.jobId ?? null,
    priority: record.priority,
    exit_code: record.exitCode ?? null,
    exit_signal: record.exitSignal ?? null,
    last_message: record.lastMessage ?? null,
    activity: record.activity ? JSON.stringify(record.activity) : null,
    agent_args: JSON.stringify(record.agentArgs),
    conversation_id: record.conversation ? (record.conversation.id ?? '') : null,
    resumed_from: record.resumedFrom ?? null,
    model: record.model ?? null,
    sandbox: record.sandbox === undefined ? null : JSON.stringify(record.sandbox),
    confined: record.confined ? JSON.stringify(record.confined) : null,
    prompt: record.prompt ?? null,
    created_at: record.createdAt,
    started_at: record.startedAt ?? null,
    ended_at: record.endedAt ?? null,
    updated_at: record.updatedAt,
  }
}

function toRecord(stored: Tables['sessions']): SessionRecord {
  return {
    id: stored.id,
    hubId: stored.hub_id,
    name: stored.name,
    template: stored.template,
    command: stored.command,
    args: stored.args === null ? undefined : (JSON.parse(stored.args) as readonly string[]),
    sessionType: stored.session_type as SessionRecord['sessionType'],
    driver: stored.driver,
    mode: stored.mode as SessionMode,
    backend: stored.backend as SessionRecord['backend'],
    status: stored.status as SessionStatus,
    isStopAsked: stored.is_stop_asked === 1,
    description: stored.description ?? undefined,
    labels: JSON.parse(stored.labels) as readonly string[],
    workspacePath: stored.workspace_path,
    workspaceFolder: stored.workspace_folder === null ? undefined : (JSON.parse(stored.workspace_folder) as Folder),
    size: { cols: stored.cols, rows: stored.rows },
    terminalTools: JSON.parse(stored.terminal_tools) as readonly string[],
    terminalSettings: JSON.parse(stored.terminal_settings) as TerminalSettings,
    socketName: stored.socket_name ?? undefined,
    tokenId: stored.token_id ?? undefined,
    jobId: stored.job_id ?? undefined,
    priority: stored.priority,
    exitCode: stored.exit_code ?? undefined,
    exitSignal: stored.exit_signal ?? undefined,
    lastMessage: stored.last_message ?? undefined,
    agentArgs: JSON.parse(stored.agent_args) as readonly string[],
    conversation: stored.conversation_id === null ? undefined : { id: stored.conversation_id || undefined },
    resumedFrom: stored.resumed_from ?? undefined,
    model: stored.model ?? undefined,
    sandbox: stored.sandbox === null ? undefined : (JSON.parse(stored.sandbox) as SandboxChoice),
    confined: stored.confined === null ? undefined : (JSON.parse(stored.confined) as Confined),
    prompt: stored.prompt ?? undefined,
    activity: stored.activity === null ? undefined : (JSON.parse(stored.activity) as Activity),
    createdAt: stored.created_at,
    startedAt: stored.started_at ?? undefined,
    endedAt: stored.ended_at ?? undefined,
    updatedAt: stored.updated_at,
  }
}
