/** Draws the screen of a terminal anew from what is on disk: the last snapshot, then the journal since. */
import type { Size } from './holder/frames.ts'
import { journalBounds, readIndexes, readJournal } from './journal.ts'
import type { Screen, ScreenOptions, Snapshot } from './screen.ts'
import { createScreen } from './screen.ts'

export interface Restoring {
  readonly screen: Screen
  /** Where it began: at the end of the snapshot, if there was one. */
  readonly from: number
  readonly isDone: boolean
  /** Draws a little more. To be called again once the screen has settled. */
  step(): void
}

export interface RestoreOptions extends Pick<ScreenOptions, 'scrollbackLines' | 'onAnswer' | 'onFault'> {
  readonly journal: string
  readonly snapshot: Snapshot | undefined
  /** Where the journal has nothing to say of it. */
  readonly size: Size
  /** Where the output ends, whether the disk has taken it or not. */
  readonly end: number
  /** What the program asked before was answered, or is of no interest any more. */
  readonly answerFrom: number
}

const sliceBytes = 64 * 1024
/** Without a snapshot: far more than fills the hot lines, and drawn in half a second. */
const maxReplayBytes = 16 * 1024 * 1024

export function restoreScreen({ journal, snapshot, end, answerFrom, size, ...options }: RestoreOptions): Restoring {
  const kept = journalBounds(journal)
  // One from beyond the end is from before a power cut that the journal did not come through whole.
  const isUsable = snapshot !== undefined && snapshot.offset <= end
  const start = isUsable ? snapshot.offset : Math.max(kept.firstOffset, Math.min(end, kept.offset) - maxReplayBytes)
  const sizes = readIndexes(journal, { from: start, kinds: ['begin', 'resize'] })
  const screen = createScreen({
    ...options,
    size: sizes.findLast(({ offset }) => offset <= start) ?? sizes[0] ?? size,
    offset: start,
    ...(isUsable && { from: snapshot }),
  })
  // Of several sizes at one place the last will do: nothing was printed at the others.
  const coming = sizes.filter(({ offset }, index) => offset >= start && sizes[index + 1]?.offset !== offset)

  let isDone = false
  function step(): void {
    const { offset, bytes } = readJournal(journal, screen.offset, sliceBytes)
    const at = bytes.length > 0 ? offset : Number.POSITIVE_INFINITY
    if (coming[0] && coming[0].offset <= at) return screen.resize(coming.shift()!)
    if (bytes.length === 0) {
      isDone = true
      return
    }
    screen.skipTo(offset)
    const isReplay = offset < answerFrom
    const stop = Math.min(
      coming[0]?.offset ?? Number.POSITIVE_INFINITY,
      isReplay ? answerFrom : Number.POSITIVE_INFINITY,
    )
    void screen.feed(bytes.subarray(0, stop - offset), { isReplay })
  }

  return {
    screen,
    from: start,
    get isDone() {
      return isDone
    },
    step,
  }
}
