/** Ending a session that somebody wants gone, wherever it is in its life. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isOver } from '../api/session.ts'
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
}

/** With `remove`, its record and its journal go too. The workspace stays. */
export type KillSession = (record: SessionRecord, options: { readonly remove: boolean }) => Promise<SessionRecord>

export function createKill({ book, ends, running, directory }: KillOptions): KillSession {
  /** From here on it is stopped, however it ends: whoever starts it looks whether that is still wanted. */
  async function askToStop(id: string): Promise<SessionRecord | undefined> {
    return book.change(id, ({ status, isStopAsked }) =>
      isOver(status) || isStopAsked ? undefined : { isStopAsked: true },
    )
  }

  async function end(asked: SessionRecord): Promise<void> {
    const { id } = asked
    if (asked.status === 'queued') return void (await ends.note(id, () => ({ status: 'stopped' })))
    await running.begun(id)
    const begun = await book.find(id)
    if (isOver(begun.status)) return
    await stopProgram(await running.terminalOf(begun))
    await running.settled(id)
  }

  return async (record, { remove }) => {
    const { id } = record
    // One that has just ended by itself was not stopped.
    await running.settled(id)
    const asked = await askToStop(id)
    if (asked && !isOver(asked.status)) await end(asked)
    const ended = await book.find(id)
    if (remove) {
      await book.remove(ended)
      await running.forget(id)
      await rm(join(directory, id), { recursive: true, force: true })
    }
    return ended
  }
}
