/**
 * Programs that live in this data directory and of which no living record tells: the database was lost or set back, or
 * the hub took them for gone. A terminal whose folder is here is this hub's, whatever else is known of it.
 */
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { NewRecord } from './new-record.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export interface FindOptions {
  readonly book: SessionBook
  readonly hubId: string
  readonly newRecord: NewRecord
  readonly terminals: Terminals
  readonly running: RunningSessions
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
}

/** `known`: those that were adopted by their records. */
export async function findSessions(known: ReadonlySet<string>, options: FindOptions): Promise<void> {
  const unknown = options.terminals.held().filter((id) => !known.has(id))
  await Promise.all(unknown.map((id) => find(id, options)))
}

async function find(id: string, options: FindOptions): Promise<void> {
  const { terminals, log } = options
  let terminal: Terminal | undefined
  try {
    terminal = await terminals.adopt(id)
    if (terminal?.life.is === 'running') await takeUp(terminal, options)
    else terminal?.release()
  } catch (error) {
    terminal?.release()
    log.error({ session: id, error: messageOf(error) }, 'a program without a record could not be adopted')
  }
}

async function takeUp(terminal: Terminal, options: FindOptions): Promise<void> {
  const { running, events, log } = options
  const record = (await revive(terminal, options)) ?? (await makeRecord(terminal, options))
  const { id, name } = record
  await events.append({ type: 'session-found', session: id, payload: { name } })
  log.warn({ session: name, id }, 'a program without a living record was found, and is a session again')
  await running.follow(record, terminal)
}

/** `undefined`: it has no record. */
async function revive({ id }: Terminal, { book, hubId }: FindOptions): Promise<SessionRecord | undefined> {
  return book.change(id, () => ({
    hubId,
    status: 'running',
    isStopAsked: false,
    exitCode: undefined,
    exitSignal: undefined,
    endedAt: undefined,
    lastMessage: 'The hub had lost sight of it, and found its program alive when it started again.',
  }))
}

async function makeRecord(terminal: Terminal, { book, newRecord }: FindOptions): Promise<SessionRecord> {
  const { id, size } = terminal
  const [foreground, workspacePath = '/'] = await Promise.all([terminal.foreground(), terminal.workingDirectory()])
  const made = newRecord({
    name: `found-${id.slice(-6)}`,
    template: 'shell',
    command: foreground?.command ?? '',
    args: undefined,
    sessionType: 'long_running',
    backend: 'holder',
    description: 'Its record was lost. The hub found its program alive when it started again.',
    labels: [],
    workspacePath,
    size,
    terminalTools: [],
    socketName: undefined,
  })
  const found: SessionRecord = { ...made, id, status: 'running', startedAt: made.createdAt }
  await book.add(found)
  return found
}
