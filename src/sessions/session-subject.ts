/** What the terminal tools need to know of a session. */
import type { TerminalSettings } from '../api/terminal-tools.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionSubject {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  readonly terminal: Terminal
  /** As they are now. */
  readonly settings: TerminalSettings
  changeSettings(change: (settings: TerminalSettings) => TerminalSettings): Promise<void>
}

/** Throws where it has no terminal. */
export async function toSubject(
  record: SessionRecord,
  { book, running }: { readonly book: SessionBook; readonly running: RunningSessions },
): Promise<SessionSubject> {
  const { id, name, workspacePath } = record
  return {
    id,
    name,
    workspacePath,
    terminal: await running.terminalOf(record),
    get settings() {
      return (running.knownRecordOf(id) ?? record).terminalSettings
    },
    async changeSettings(change) {
      await book.change(id, ({ terminalSettings }) => ({ terminalSettings: change(terminalSettings) }))
    },
  }
}
