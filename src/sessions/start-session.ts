/** Starts the program of a session and follows it. */
import { isOver } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Run } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'
import type { LaunchExtras, Launcher } from './launch.ts'
import type { RunningOptions, RunningSessions, SessionSocket } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord } from './session-store.ts'

export interface StarterOptions extends Pick<RunningOptions, 'openSocket'> {
  readonly registry: SessionRegistry
  readonly ends: Pick<SessionEnds, 'note'>
  readonly launcher: Launcher
  readonly running: RunningSessions
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
}

export interface SessionStarter {
  /** Starts the program of a stored record and follows it. A failure is written to the record and thrown. */
  launch(record: SessionRecord, extras?: LaunchExtras): Promise<Run>
  /** The same, for a program that `start` starts or finds. */
  take(record: SessionRecord, start: StartRun): Promise<Run>
  /** Records that the program runs. */
  noteStart(record: SessionRecord): Promise<SessionRecord>
}

type StartRun = (socketPath: string | undefined) => Promise<Run>

export function createSessionStarter(options: StarterOptions): SessionStarter {
  const { registry, ends, launcher, running, events, log, openSocket } = options

  async function launch(record: SessionRecord, extras: LaunchExtras = {}): Promise<Run> {
    return take(record, (socketPath) => launcher.start(record, { ...extras, socketPath }))
  }

  async function take(record: SessionRecord, start: StartRun): Promise<Run> {
    const { run, socket } = await startProgram(record, start)
    await running.follow(await noteStart(record), run, socket)
    return run
  }

  async function startProgram(record: SessionRecord, start: StartRun) {
    let socket: SessionSocket | undefined
    try {
      // A named socket is opened before the program starts, because the program gets its path.
      if (record.socketName !== undefined) socket = await openSocket(record, 0)
      return { run: await start(socket?.path), socket }
    } catch (error) {
      await socket?.close()
      await noteFailure(record.id, messageOf(error))
      throw error
    }
  }

  async function noteFailure(id: string, lastMessage: string): Promise<void> {
    try {
      await ends.note(id, ({ isStopAsked }) => ({ status: isStopAsked ? 'stopped' : 'failed', lastMessage }))
    } catch (error) {
      log.error({ session: id, error }, 'could not store that a session failed to start')
    }
  }

  /** A failure to store is only logged: the program runs by now and must be followed. */
  async function noteStart(record: SessionRecord): Promise<SessionRecord> {
    const { id, name } = record
    const startedAt = new Date().toISOString()
    let started: SessionRecord | undefined
    try {
      started = await registry.change(id, ({ status }) =>
        isOver(status) ? undefined : { status: 'running', startedAt },
      )
      await events.append({ type: 'session-started', session: id, payload: { name } })
    } catch (error) {
      log.error({ session: id, error }, 'could not store the start of a session')
    }
    return started ?? record
  }

  return { launch, take, noteStart }
}
