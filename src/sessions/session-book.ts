/** The records of sessions: what is stored, and who is told when it changes. */
import type { Notices } from '../mcp/mcp.ts'
import { createSerial } from '../base/serial.ts'
import { HubError } from '../base/hub-error.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export const sessionsUri = 'resource://sessions'
export const jobsUri = 'resource://jobs'

export function sessionUri(nameOrId: string, part?: 'screen' | 'log'): string {
  return `${sessionsUri}/${nameOrId}${part === undefined ? '' : `/${part}`}`
}

export interface SessionBook {
  add(record: SessionRecord): Promise<void>
  /**
   * Changes are made one after another, each on top of the last; a patch that is `undefined` changes nothing and tells
   * nobody. Answers with the record as it is then. `undefined`: it is gone.
   */
  change(
    id: string,
    patch: (record: SessionRecord) => Partial<SessionRecord> | undefined,
  ): Promise<SessionRecord | undefined>
  /** Behind all changes that are under way. `undefined`: it is gone. */
  current(id: string): Promise<SessionRecord | undefined>
  remove(record: SessionRecord): Promise<void>
  /** By name or id; a name means the newest. */
  find(nameOrId: string): Promise<SessionRecord>
  /** Tells those who follow it, without a change of the record. */
  tell(record: Pick<SessionRecord, 'id' | 'name' | 'jobId'>): void
}

export interface SessionBookOptions {
  readonly rows: SessionStore
  readonly notices: Notices
  /** After a change was stored. */
  readonly onChange: (record: SessionRecord) => void
}

export function createSessionBook({ rows, notices, onChange }: SessionBookOptions): SessionBook {
  const oneByOne = createSerial()

  function tell({ id, name, jobId }: Pick<SessionRecord, 'id' | 'name' | 'jobId'>): void {
    notices.resourceChanged(sessionsUri)
    // Whoever follows it may know it by either.
    notices.resourceChanged(sessionUri(id))
    notices.resourceChanged(sessionUri(name))
    if (jobId !== undefined) notices.resourceChanged(jobsUri)
  }

  return {
    tell,
    async add(record) {
      await rows.insert(record)
      tell(record)
    },
    change: (id, patch) =>
      oneByOne(async () => {
        const record = await rows.find(id)
        if (!record) return undefined
        const changes = patch(record)
        if (!changes) return record
        const changed = { ...record, ...changes, updatedAt: new Date().toISOString() }
        await rows.save(changed)
        onChange(changed)
        tell(changed)
        return changed
      }),
    current: (id) => oneByOne(() => rows.find(id)),
    remove: (record) =>
      oneByOne(async () => {
        await rows.remove(record.id)
        tell(record)
      }),
    async find(nameOrId) {
      const record = await rows.findNamed(nameOrId)
      if (record) return record
      throw new HubError('not-found', `There is no session "${nameOrId}". Call list_sessions for the names.`)
    },
  }
}
