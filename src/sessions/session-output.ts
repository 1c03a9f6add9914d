/** The terminal and the printed output of a session, for readers. */
import { HubError } from '../base/hub-error.ts'
import type { LogTail, Run } from '../drivers/drivers.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'

/** Throws if the session has no terminal. */
export async function terminalOf(
  sessions: Pick<Sessions, 'runOf'>,
  record: SessionRecord,
): Promise<NonNullable<Run['terminal']>> {
  const { terminal } = await sessions.runOf(record)
  if (terminal) return terminal
  throw new HubError('invalid', `The session "${record.name}" has no terminal.`)
}

export async function tailLog(
  sessions: Pick<Sessions, 'runOf'>,
  record: SessionRecord,
  lines: number,
  isRaw: boolean,
): Promise<LogTail> {
  const run = await sessions.runOf(record)
  if (run.tail) return run.tail(lines, { isRaw })
  throw new HubError('invalid', `The session "${record.name}" keeps no log of its output.`)
}
