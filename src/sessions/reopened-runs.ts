/** The runs of ended sessions, reopened for readers. A run without recent readers is closed. */
import { HubError } from '../base/hub-error.ts'
import type { Run } from '../drivers/drivers.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'

export interface ReopenedRuns {
  /** Throws if there is no run. */
  get(record: SessionRecord): Promise<Run>
  /** Keeps a run that has just ended. */
  keep(record: SessionRecord, run: Run): void
  /** The stored record. `undefined`: the run is not open. */
  recordOf(id: string): SessionRecord | undefined
  /** Takes over a changed record. */
  note(record: SessionRecord): void
  /** Closes a run, so that its files can be removed. */
  forget(id: string): Promise<void>
  /** Closes runs without recent readers. */
  sweep(): void
  forgetAll(): Promise<void>
}

interface Reopened {
  record: SessionRecord
  readonly run: Promise<Run>
  usedAt: number
}

const keepMs = 120_000

export function createReopenedRuns(runs: Pick<SessionRuns, 'adopt'>): ReopenedRuns {
  const reopened = new Map<string, Reopened>()

  async function reopen(record: SessionRecord): Promise<Run> {
    const { name, status } = record
    const run = status === 'queued' ? undefined : await runs.adopt(record)
    if (run) return run
    const why = status === 'queued' ? 'it has not started yet' : 'it never had one, or its files are gone'
    throw new HubError('unavailable', `The session "${name}" has no terminal: ${why}.`)
  }

  async function forget(id: string): Promise<void> {
    const known = reopened.get(id)
    reopened.delete(id)
    // A run that could not be reopened has nothing to close.
    const run = await known?.run.catch(() => undefined)
    run?.[Symbol.dispose]()
  }

  return {
    get(record) {
      const known = reopened.get(record.id)
      if (known) {
        known.usedAt = performance.now()
        return known.run
      }
      const run = reopen(record)
      const entry: Reopened = { record, run, usedAt: performance.now() }
      reopened.set(record.id, entry)
      run.catch(() => reopened.get(record.id) === entry && reopened.delete(record.id))
      return run
    },
    keep: (record, run) =>
      void reopened.set(record.id, { record, run: Promise.resolve(run), usedAt: performance.now() }),
    recordOf: (id) => reopened.get(id)?.record,
    note(record) {
      const known = reopened.get(record.id)
      if (known) known.record = record
    },
    forget,
    sweep() {
      const before = performance.now() - keepMs
      for (const [id, { usedAt }] of reopened) if (usedAt < before) void forget(id)
    },
    async forgetAll() {
      await Promise.all([...reopened.keys()].map(forget))
    },
  }
}
