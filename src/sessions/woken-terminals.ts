/** The terminals of sessions that have ended, for those who want to read them: let go of when nobody has for a while. */
import { HubError } from '../base/hub-error.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { SessionRecord } from './session-store.ts'

export interface WokenTerminals {
  /** Throws where there is none. */
  get(record: SessionRecord): Promise<Terminal>
  /** One that has just ended and is still at hand. */
  keep(record: SessionRecord, terminal: Terminal): void
  /** As it is stored now; `undefined`: nobody reads it. */
  recordOf(id: string): SessionRecord | undefined
  /** Its record was changed. */
  note(record: SessionRecord): void
  /** Lets go of a terminal, so that it can be removed. */
  forget(id: string): Promise<void>
  /** Lets go of those that nobody has read for a while. */
  sweep(): void
  forgetAll(): Promise<void>
}

interface Woken {
  record: SessionRecord
  readonly terminal: Promise<Terminal>
  usedAt: number
}

const keepMs = 120_000

export function createWokenTerminals(terminals: Terminals): WokenTerminals {
  const woken = new Map<string, Woken>()

  async function wake({ id, name, status }: SessionRecord): Promise<Terminal> {
    const terminal = status === 'queued' ? undefined : await terminals.adopt(id)
    if (terminal) return terminal
    const why = status === 'queued' ? 'it has not started yet' : 'it never had one, or its files are gone'
    throw new HubError('unavailable', `The session "${name}" has no terminal: ${why}.`)
  }

  async function forget(id: string): Promise<void> {
    const known = woken.get(id)
    woken.delete(id)
    // One that could not be woken has nothing to let go of.
    const terminal = await known?.terminal.catch(() => undefined)
    terminal?.release()
  }

  return {
    get(record) {
      const known = woken.get(record.id)
      if (known) {
        known.usedAt = performance.now()
        return known.terminal
      }
      const terminal = wake(record)
      const entry: Woken = { record, terminal, usedAt: performance.now() }
      woken.set(record.id, entry)
      terminal.catch(() => woken.get(record.id) === entry && woken.delete(record.id))
      return terminal
    },
    keep: (record, terminal) =>
      void woken.set(record.id, { record, terminal: Promise.resolve(terminal), usedAt: performance.now() }),
    recordOf: (id) => woken.get(id)?.record,
    note(record) {
      const known = woken.get(record.id)
      if (known) known.record = record
    },
    forget,
    sweep() {
      const before = performance.now() - keepMs
      for (const [id, { usedAt }] of woken) if (usedAt < before) void forget(id)
    },
    async forgetAll() {
      await Promise.all([...woken.keys()].map(forget))
    },
  }
}
