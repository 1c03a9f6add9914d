/** The common interface of the two ways to run a program: in a terminal and on pipes. */
import type { Hello } from './frames.ts'
import type { JournalLimits, JournalWriter } from '../journal/journal-writer.ts'
import type { Exit } from '../journal/journal-files.ts'
import type { Viewer, ViewerListeners } from './viewer.ts'

export interface RunningProgram {
  readonly pid: number
  readonly journal: JournalWriter
  hello(): Pick<Hello, 'size' | 'answered' | 'input'>
  listenersFor(viewer: () => Viewer): ViewerListeners
}

/** The parts that both ways need. */
export interface HolderParts {
  readonly directory: string
  readonly journalDirectory: string
  readonly limits: JournalLimits
  readonly viewers: ReadonlySet<Viewer>
  /** Sends output to the viewers. It is in the journal by then, unless the disk is full. */
  show(offset: number, bytes: Buffer): void
  /** Reports a failure that people should know about. */
  report(message: string): void
  end(exit: Exit): void
}
