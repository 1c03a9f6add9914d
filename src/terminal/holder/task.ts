/** What a holder is told. */
import type { JournalLimits } from './journal-writer.ts'
import type { TmuxPaneSpec, TmuxSessionSpec } from '../tmux/tmux-program.ts'
import type { PtySpec } from './pty.ts'

export interface HolderTask {
  readonly version: string
  readonly socket: string
  /** The journal and the notice are kept here. */
  readonly directory: string
  readonly journal: JournalLimits
  readonly program: ProgramSpec
}

/** In a PTY of its own, or in tmux. */
export type ProgramSpec = PtySpec | TmuxSessionSpec | TmuxPaneSpec
