/** Ends a session on request, in any status. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { RunningSessions } from './running.ts'
import type { SessionGits } from './session-git.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord } from './session-store.ts'

export interface KillOptions {
  readonly registry: SessionRegistry
  readonly ends: Pick<SessionEnds, 'note'>
  readonly running: RunningSessions
  readonly gits: Pick<SessionGits, 'finish'>
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly log: Log
}

/** With `remove`, the record and the journal are deleted too. The workspace stays. */
export type KillSession = (record: SessionRecord, options: { readonly remove: boolean }) => Promise<SessionRecord>

export function createKill({ registry, ends, running, gits, directory, log }: KillOptions): KillSession {
  /** From here on the session counts as stopped, however it ends. A launch in progress checks for this and gives up. */
  async function askToStop(record: SessionRecord): Promise<SessionRecord | undefined> {
    const { id } = record
    try {
      return await registry.change(id, ({ status, isStopAsked }) =>
        isOver(status) || isStopAsked ? undefined : { isStopAsked: true },
      )
    } catch (error) {
      // A full disk is when a person most needs to end a session.
      log.error({ session: id, error }, 'could not store that a session is to be stopped')
      running.noteStopAsked(id)
      return record
    }
  }

  async function end(asked: SessionRecord): Promise<void> {
    const { id } = asked
    if (asked.status === 'queued') return void (await ends.note(id, () => ({ status: 'stopped' })))
    await running.started(id)
    const started = await registry.find(id)
    if (isOver(started.status)) return
    const run = await running.runOf(started)
    await running.whileStopping(id, () => run.stop())
    await running.settled(id)
  }

  return async (record, { remove }) => {
    const { id } = record
    // A session that has just ended by itself does not count as stopped.
    await running.settled(id)
    const asked = await askToStop(record)
    if (asked && !isOver(asked.status)) await end(asked)
    const ended = await registry.find(id)
    if (!isOver(ended.status)) throw notStored(ended, { remove })
    if (remove) {
      await gits.finish(ended)
      await registry.remove(ended)
      await running.forget(id)
      await rm(join(directory, id), { recursive: true, force: true })
    }
    return ended
  }
}

function notStored({ name }: SessionRecord, { remove }: { readonly remove: boolean }): HubError {
  const hint = remove ? ' Remove it when there is room.' : ''
  return new HubError(
    'unavailable',
    `The program of "${name}" has ended, but the hub could not store that. Is the disk full? The hub retries until there is room.${hint}`,
  )
}
