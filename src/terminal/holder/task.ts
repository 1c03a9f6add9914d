/** What a holder is told. */
import type { JournalLimits } from './journal-writer.ts'
import type { PtySpec } from './pty.ts'

export interface HolderTask {
  readonly version: string
  readonly socket: string
  /** The journal and the notice are kept here. */
  readonly directory: string
  readonly journal: JournalLimits
  readonly program: PtySpec
}
