/** What a holder is told, and what it leaves for later hubs. */
import type { JournalLimits } from './journal-writer.ts'
import type { PtySpec } from './pty.ts'

export interface HolderTask {
  readonly version: string
  readonly socket: string
  /** The journal and `holder.json` are kept here. */
  readonly directory: string
  readonly journal: JournalLimits
  readonly program: PtySpec
}

/** What a later hub needs to find it. */
export interface HolderNotice {
  readonly protocol: number
  readonly version: string
  readonly pid: number
  readonly childPid: number
  readonly socket: string
}

export const holderNoticeFile = 'holder.json'
