/** Ending a session that somebody wants gone, wherever it is in its life. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord } from './session-store.ts'
import { stopProgram } from './stop-program.ts'

export interface KillOptions {
  readonly book: SessionBook
  readonly ends: Pick<SessionEnds, 'note'>
  readonly running: RunningSessions
  /** Where each session has a folder. */
  readonly directory: string
  readonly log: Log
}

/** With `remove`, its record and its journal go too. The workspace stays. */
export type KillSession = (record: SessionRecord, options: { readonly remove: boolean }) => Promise<SessionRecord>

export function createKill({ book, ends, running, directory, log }: KillOptions): KillSession {
  /** From here on it is stopped, however it ends: whoever starts it looks whether that is still wanted. */
  async function askToStop(record: SessionRecord): Promise<SessionRecord | undefined> {
    const { id } = record
    try {
      return await book.change(id, ({ status, isStopAsked }) =>
        isOver(status) || isStopAsked ? undefined : { isStopAsked: true },
      )
    } catch (error) {
      // On a full disk, of all times, something has to be ended.
      log.error({ session: id, error }, 'that a session is to be ended is not stored')
      running.noteStopAsked(id)
      return record
    }
  }

  async function end(asked: SessionRecord): Promise<void> {
    const { id } = asked
    if (asked.status === 'queued') return void (await ends.note(id, () => ({ status: 'stopped' })))
    await running.begun(id)
    const begun = await book.find(id)
    if (isOver(begun.status)) return
    const terminal = await running.terminalOf(begun)
    await running.whileStopping(id, () => stopProgram(terminal))
    await running.settled(id)
  }

  return async (record, { remove }) => {
    const { id } = record
    // One that has just ended by itself was not stopped.
    await running.settled(id)
    const asked = await askToStop(record)
    if (asked && !isOver(asked.status)) await end(asked)
    const ended = await book.find(id)
    if (!isOver(ended.status)) throw notStored(ended, { remove })
    if (remove) {
      await book.remove(ended)
      await running.forget(id)
      await rm(join(directory, id), { recursive: true, force: true })
    }
    return ended
  }
}

function notStored({ name }: SessionRecord, { remove }: { readonly remove: boolean }): HubError {
  const wish = remove ? ' Remove it when there is room.' : ''
  return new HubError(
    'unavailable',
    `The program of "${name}" has been ended, but that could not be stored: is the disk full? It is stored as soon as there is room.${wish}`,
  )
}
