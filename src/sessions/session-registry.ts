/** The stored records of sessions. Sends notices when they change. */
import type { Notices } from '../mcp/mcp.ts'
import { createSerial } from '../base/serial.ts'
import { findIn } from './session-lookup.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export const sessionsUri = 'resource://sessions'
export const jobsUri = 'resource://jobs'

export function sessionUri(nameOrId: string, part?: 'screen' | 'log'): string {
  return `${sessionsUri}/${nameOrId}${part === undefined ? '' : `/${part}`}`
}

export interface SessionRegistry {
  add(record: SessionRecord): Promise<void>
  /**
   * Changes run one after another. A patch of `undefined` changes nothing and sends no notice. Returns the record
   * afterwards. `undefined`: the record is gone.
   */
  change(
    id: string,
    patch: (record: SessionRecord) => Partial<SessionRecord> | undefined,
  ): Promise<SessionRecord | undefined>
  /** The record after all pending changes. `undefined`: the record is gone. */
  current(id: string): Promise<SessionRecord | undefined>
  remove(record: SessionRecord): Promise<void>
  /** By name or id; a name means the newest. */
  find(nameOrId: string): Promise<SessionRecord>
  /** Sends the notices of a change without changing the record. */
  notify(record: Pick<SessionRecord, 'id' | 'name' | 'jobId'>): void
}

export interface SessionRegistryOptions {
  readonly rows: SessionStore
  readonly notices: Notices
  /** Called after a change was stored. */
  readonly onChange: (record: SessionRecord) => void
}

export function createSessionRegistry({ rows, notices, onChange }: SessionRegistryOptions): SessionRegistry {
  const oneByOne = createSerial()

  function notify({ id, name, jobId }: Pick<SessionRecord, 'id' | 'name' | 'jobId'>): void {
    notices.resourceChanged(sessionsUri)
    // A subscriber may use the id or the name.
    notices.resourceChanged(sessionUri(id))
    notices.resourceChanged(sessionUri(name))
    if (jobId !== undefined) notices.resourceChanged(jobsUri)
  }

  return {
    notify,
    async add(record) {
      await rows.insert(record)
      notify(record)
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
        notify(changed)
        return changed
      }),
    current: (id) => oneByOne(() => rows.find(id)),
    remove: (record) =>
      oneByOne(async () => {
        await rows.remove(record.id)
        notify(record)
      }),
    find: findIn(rows),
  }
}
