/**
 * The queue of one-off commands and agents. A job is a session that waits its turn. It is a stored record, so a killed hub loses no
 * job, and the output, exit code and times of a job are those of its session.
 */
import { randomBytes } from 'node:crypto'
import type { Job, JobStatus } from '../api/job.ts'
import type { SessionStatus } from '../api/session.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Page } from './cursor.ts'
import { toPage } from './cursor.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionPlace, SessionRecord, SessionStore } from './session-store.ts'

export interface JobQueue {
  /** Appends a job to the queue. `next` starts it in its turn. */
  add(record: SessionRecord, turn: JobTurn): Promise<SessionRecord>
  /** Starts as many jobs as the limit allows. */
  next(): Promise<void>
  find(jobId: string): Promise<SessionRecord>
  /** Newest first. */
  list(asked: JobsAsked): Promise<JobPage>
  describe(record: SessionRecord): Promise<Job>
}

export interface JobTurn {
  readonly priority: number
  readonly prompt?: string | undefined
}

export interface JobsAsked {
  readonly status?: JobStatus | undefined
  readonly after?: SessionPlace | undefined
  readonly limit: number
}

export interface JobPage extends Pick<Page<Job>, 'cursor'> {
  readonly jobs: readonly Job[]
}

export interface JobQueueOptions {
  readonly rows: SessionStore
  readonly registry: SessionRegistry
  readonly hubId: string
  readonly limit: number
  readonly launch: (record: SessionRecord) => Promise<unknown>
  readonly log: Log
  /** A hub that is stopping starts no job. */
  readonly stopping: AbortSignal
}

export function createJobQueue({ rows, registry, hubId, limit, launch, log, stopping }: JobQueueOptions): JobQueue {
  const oneByOne = createSerial()

  async function describe(records: readonly SessionRecord[]): Promise<readonly Job[]> {
    const queued = records.filter(({ status }) => status === 'queued')
    const places = await rows.placesInQueue(queued.map(({ id }) => id))
    return records.map((record) => toJob(record, places.get(record.id)))
  }

  async function startNext(): Promise<void> {
    if (stopping.aborted) return
    const started = await rows.list({ hubId, isJob: true, statuses: ['starting', 'running'] })
    const places = limit - started.length
    if (places <= 0) return
    for (const record of await rows.listQueue(hubId, places)) {
      const starting = await registry.change(record.id, ({ status, isStopAsked }) =>
        status === 'queued' && !isStopAsked ? { status: 'starting' } : undefined,
      )
      if (starting?.status !== 'starting') continue
      launch(starting).catch((error: unknown) =>
        log.warn({ session: record.name, error: messageOf(error) }, 'could not start a job'),
      )
    }
  }

  return {
    async add(record, { priority, prompt }) {
      const waiting: SessionRecord = {
        ...record,
        status: 'queued',
        sessionType: 'one_off',
        jobId: `j${randomBytes(6).toString('hex')}`,
        priority,
        prompt,
      }
      await registry.add(waiting)
      return waiting
    },
    next: () => oneByOne(startNext),
    async find(jobId) {
      const record = await rows.findJob(jobId)
      if (record) return record
      throw new HubError('not-found', `There is no job "${jobId}". Call list_jobs for the ids.`)
    },
    async list({ status, after, limit }) {
      const statuses = status && statusesOf[status]
      const found = await rows.list({ isJob: true, after, limit: limit + 1, ...(statuses && { statuses }) })
      const { items, cursor } = toPage(found, limit)
      return { jobs: await describe(items), cursor }
    },
    async describe(record) {
      const [job] = await describe([record])
      return job!
    },
  }
}

function toJob(record: SessionRecord, position: number | undefined): Job {
  const { prompt, startedAt, endedAt, exitCode } = record
  return {
    id: record.jobId!,
    session: record.name,
    command: record.command,
    ...(prompt !== undefined && { prompt }),
    status: jobStatusOf[record.status],
    priority: record.priority,
    ...(position !== undefined && { position }),
    created_at: record.createdAt,
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(endedAt !== undefined && { ended_at: endedAt }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
  }
}

const jobStatusOf: Readonly<Record<SessionStatus, JobStatus>> = {
  queued: 'queued',
  starting: 'running',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  stopped: 'cancelled',
}

const statusesOf: Readonly<Record<JobStatus, readonly SessionStatus[]>> = {
  queued: ['queued'],
  running: ['starting', 'running'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['stopped'],
}
