/** The task that a hub gives to a new holder. */
import type { ForwardsSpec } from '../../base/confinement.ts'
import type { JournalLimits } from '../journal/journal-writer.ts'
import type { PtySpec } from '../pty/pty.ts'
import type { TmuxPaneSpec, TmuxSessionSpec } from '../tmux/tmux-program.ts'
import type { PipesSpec } from './pipes.ts'

export interface HolderTask {
  readonly version: string
  readonly socket: string
  /** The folder for the journal and for `holder.json`. */
  readonly directory: string
  readonly journal: JournalLimits
  readonly program: ProgramSpec | PipesSpec
  /** The forwards of the program's sandbox, and the folder for their sockets. */
  readonly forwards?: { readonly spec: ForwardsSpec; readonly folder: string } | undefined
}

/** In a PTY, or in tmux. */
export type ProgramSpec = PtySpec | TmuxSessionSpec | TmuxPaneSpec
