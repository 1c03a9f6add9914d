/** The screen as it was earlier, drawn from the journal. */
import { readJournal } from '../journal/journal.ts'
import type { Size } from '../pty/size.ts'
import { restoreScreen } from './restore.ts'
import type { Screen } from '../screen/screen.ts'

export interface EarlierScreen {
  /** Escape sequences that draw it on an empty terminal of this size. */
  readonly drawing: string
  readonly size: Size
  /** The offset of the next byte: up to a sequence later than requested, since a screen cannot be drawn inside one. */
  readonly offset: number
}

const scrollbackLines = 1_000
const defaultSize: Size = { cols: 80, rows: 24 }
/** A longer sequence is left out of the drawing. */
const longestSequence = 64 * 1024
const stepBytes = 64

export function drawScreenAt(journal: string, at: number): EarlierScreen {
  const restoring = restoreScreen({
    journal,
    snapshot: undefined,
    end: at,
    stopAt: at,
    answerFrom: Number.POSITIVE_INFINITY,
    size: defaultSize,
    scrollbackLines,
    onAnswer: () => {},
  })
  using screen = restoring.screen
  while (!restoring.isDone) {
    restoring.step()
    screen.flush()
  }
  const { drawing = '', offset = screen.offset } = screen.snapshot() ?? completeSequence(journal, screen) ?? {}
  return { drawing, size: screen.size, offset }
}

function completeSequence(journal: string, screen: Screen): ReturnType<Screen['snapshot']> {
  for (let read = 0; read < longestSequence; read += stepBytes) {
    const { offset, bytes } = readJournal(journal, screen.offset, stepBytes)
    if (bytes.length === 0) return undefined
    screen.skipTo(offset)
    void screen.feed(bytes, { isReplay: true })
    screen.flush()
    const snapshot = screen.snapshot()
    if (snapshot) return snapshot
  }
  return undefined
}
