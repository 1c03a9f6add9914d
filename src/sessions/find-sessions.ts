/**
 * Finds programs of this data directory that have no living record: the database was lost or restored from a backup, or
 * the hub took the program for ended. A program that a driver of this hub runs belongs to this hub.
 */
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Driver, Run } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'
import type { NewRecord } from './new-record.ts'
import { defaultSize } from './new-record.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'

export interface FindOptions {
  readonly registry: SessionRegistry
  readonly hubId: string
  readonly newRecord: NewRecord
  readonly runs: SessionRuns
  readonly running: RunningSessions
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
}

/** `known`: the sessions that were already adopted by their records. */
export async function findSessions(known: ReadonlySet<string>, options: FindOptions): Promise<void> {
  for (const driver of options.runs.drivers.all) {
    const unknown = runBy(driver, options).filter((id) => !known.has(id))
    await Promise.all(unknown.map((id) => find(id, driver, options)))
  }
}

/** A failed search does not stop the hub: the sessions with records are adopted already. */
function runBy(driver: Driver, { log }: FindOptions): readonly string[] {
  try {
    return driver.mayBeRunning?.() ?? []
  } catch (error) {
    log.error({ error: messageOf(error) }, 'could not look for programs without a record')
    return []
  }
}

async function find(id: string, driver: Driver, options: FindOptions): Promise<void> {
  const { registry, runs, log } = options
  let run: Run | undefined
  try {
    const record = (await registry.current(id)) ?? lostRecord(id, driver, options)
    run = await driver.adopt(runs.describe(record))
    if (run?.status.is === 'running') await takeUp(record, run, options)
    else run?.[Symbol.dispose]()
  } catch (error) {
    run?.[Symbol.dispose]()
    log.error({ session: id, error: messageOf(error) }, 'could not adopt a program without a record')
  }
}

async function takeUp(lost: SessionRecord, run: Run, options: FindOptions): Promise<void> {
  const { running, events, log } = options
  const record = (await revive(lost, options)) ?? (await addRecord(lost, run, options))
  const { id, name } = record
  await events.append({ type: 'session-found', session: id, payload: { name } })
  log.warn({ session: name, id }, 'found a program without a living record; it is a session again')
  await running.follow(record, run)
}

/** `undefined`: the session has no record. */
async function revive({ id }: SessionRecord, { registry, hubId }: FindOptions): Promise<SessionRecord | undefined> {
  return registry.change(id, () => ({
    hubId,
    status: 'running',
    isStopAsked: false,
    exitCode: undefined,
    exitSignal: undefined,
    endedAt: undefined,
    lastMessage: 'The hub had lost track of this session and found its program alive at its next start.',
  }))
}

/** A record with defaults, until the program can be asked. */
function lostRecord(id: string, driver: Driver, { newRecord }: FindOptions): SessionRecord {
  const made = newRecord({
    name: `found-${id.slice(-6)}`,
    template: 'shell',
    command: '',
    args: undefined,
    sessionType: 'long_running',
    driver: driver.name,
    backend: 'holder',
    description: 'Its record was lost. The hub found its program alive at its next start.',
    labels: [],
    workspacePath: '/',
    size: defaultSize,
    terminalTools: [],
    socketName: undefined,
  })
  return { ...made, id, status: 'running', startedAt: made.createdAt }
}

async function addRecord(lost: SessionRecord, { terminal }: Run, { registry }: FindOptions): Promise<SessionRecord> {
  const [foreground, cwd] = await Promise.all([terminal?.foreground(), terminal?.workingDirectory()])
  const found: SessionRecord = {
    ...lost,
    command: foreground?.command ?? lost.command,
    workspacePath: cwd ?? lost.workspacePath,
    size: terminal?.size ?? lost.size,
  }
  await registry.add(found)
  return found
}
