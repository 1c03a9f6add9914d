/**
 * The hub's terminals: the screen of a program that runs in a holder, and access to the program.
 *
 *   program → PTY → holder (journal) → socket → screen → readers, each from its own offset
 */
import { setTimeout } from 'node:timers/promises'
import { createSerial } from '../base/serial.ts'
import { idsWithSocket } from './socket-paths.ts'
import type { ProgramSpec } from './holder/task.ts'
import type { HoldersOptions, Sandboxed } from './holders.ts'
import { createHolders } from './holders.ts'
import type { Terminal } from './live-terminal.ts'
import { createLiveTerminal } from './live-terminal.ts'

export { isListed } from './forwards/allow-list.ts'
export { openForwards } from './forwards/forwards.ts'
export type { Judge } from './forwards/judge.ts'
export type { OtherProcesses } from './other-processes.ts'
export { idsWithSocket, holderSocket } from './socket-paths.ts'
export type { UntrustedPattern } from './untrusted-pattern.ts'
export { compileUntrustedPattern } from './untrusted-pattern.ts'
export type { JournalLimits } from './journal/journal-writer.ts'
export { journalLimits } from './journal/journal-writer.ts'
export type { ProgramSpec } from './holder/task.ts'
export { encodeKeys } from './keys.ts'
export type { Terminal } from './live-terminal.ts'
export type { Menu } from './menu.ts'
export { choiceFor, findMenu } from './menu.ts'
export { encodePaste } from './paste.ts'
export type { Pattern } from '../base/pattern.ts'
export { compilePattern } from '../base/pattern.ts'
export type { ProcessDescription } from './process-table.ts'
export type { Output } from './journal/read-output.ts'
export type { OutputLine, PipedProgram } from './piped-program.ts'
export type { PipedPrograms } from './piped-programs.ts'
export { createPipedPrograms } from './piped-programs.ts'
export type { CellStyle, Run } from './screen/screen-rows.ts'
export type { Screen } from './screen/screen.ts'
export { createScreen } from './screen/screen.ts'
export { drawScreen, pictureSize } from './screenshot/screenshot.ts'
export type { TmuxAccess } from './tmux/access.ts'
export { findTarget as findTmuxTarget } from './tmux/pane-target.ts'
export { findUrls } from './urls.ts'

export interface Terminals {
  start(id: string, program: ProgramSpec & Sandboxed): Promise<Terminal>
  /**
   * Finds a terminal that an earlier hub started: alive in its holder, or with its last screen. `undefined`: there is
   * no such terminal. Quick: the screens of living terminals are drawn one after another later, or when they are
   * needed. Throws if its holder may be alive but cannot be reached.
   */
  adopt(id: string): Promise<Terminal | undefined>
  /** The ids of terminals with a socket. Adopting one shows whether its holder is alive. */
  mayBeRunning(): readonly string[]
}

export interface TerminalsOptions extends HoldersOptions {
  readonly scrollbackLines: number
}

/** A hub that has just started has more urgent work. */
const drawAfterMs = 200

export function createTerminals({ scrollbackLines, ...options }: TerminalsOptions): Terminals {
  const holders = createHolders(options)
  const oneByOne = createSerial()

  return {
    async start(id, program) {
      const terminal = createLiveTerminal({ id, scrollbackLines, isNew: true, ...(await holders.start(id, program)) })
      await terminal.draw()
      return terminal
    },
    async adopt(id) {
      const found = await holders.find(id)
      if (!found || found.isPiped) {
        found?.connection?.close()
        return undefined
      }
      const terminal = createLiveTerminal({ id, scrollbackLines, ...found })
      const later = setTimeout(drawAfterMs)
      if (found.connection) void oneByOne(() => later.then(() => terminal.draw()))
      return terminal
    },
    mayBeRunning: () => idsWithSocket(options.directory, options.socketDirectory),
  }
}
