/** Redraws the screen of a terminal from disk: the last snapshot, then the journal since. */
import { journalBounds, readIndexes, readJournal } from '../journal/journal.ts'
import { type Screen, type ScreenOptions, type Snapshot, createScreen } from '../screen/screen.ts'
import type { Size } from '../pty/size.ts'
import { busyFeeders } from '../screen/feeder.ts'
import { endWorthDrawing } from '../screen/left-out.ts'

export interface Restoring {
  readonly screen: Screen
  /** The offset at which it began: the end of the snapshot, if there was one. */
  readonly from: number
  readonly isDone: boolean
  /** Draws a little more. Call it again once the screen has settled. */
  step(): void
}

export interface RestoreOptions extends Pick<ScreenOptions, 'scrollbackLines' | 'onAnswer' | 'onFault'> {
  readonly journal: string
  readonly snapshot: Snapshot | undefined
  /** Used if the journal does not say. */
  readonly size: Size
  /** The end offset of the output, even if the disk has not taken all of it. */
  readonly end: number
  /** Questions before this offset were answered, or no longer matter. */
  readonly answerFrom: number
  /** Draws only the output before this offset. */
  readonly stopAt?: number
}

/** The first slice is small, since its bytes may be expensive to draw. */
const slices = { firstBytes: 4 * 1024, mostBytes: 64 * 1024 }
/** Without a snapshot. Far more than fills the scrollback in memory, and drawn in half a second. */
const maxReplayBytes = 16 * 1024 * 1024

export function restoreScreen(given: RestoreOptions): Restoring {
  const { journal, snapshot, end, answerFrom, size, stopAt = Number.POSITIVE_INFINITY, ...options } = given
  const kept = journalBounds(journal)
  // A snapshot from beyond the end is from before a power cut that damaged the journal.
  const isUsable = snapshot !== undefined && snapshot.offset <= end
  const start = isUsable ? snapshot.offset : Math.max(kept.firstOffset, Math.min(end, kept.offset) - maxReplayBytes)
  const sizes = readIndexes(journal, { from: start, kinds: ['begin', 'resize'] })
  const screen = createScreen({
    ...options,
    size: sizes.findLast(({ offset }) => offset <= start) ?? sizes[0] ?? size,
    offset: start,
    ...(isUsable && { from: snapshot }),
  })
  // Of several sizes at one offset, the last is enough: nothing was printed in the others.
  const coming = sizes.filter(
    ({ offset }, index) => offset >= start && offset <= stopAt && sizes[index + 1]?.offset !== offset,
  )

  const stop = Math.min(stopAt, end)
  let isDone = false
  function step(): void {
    const { offset: at, msPerByte } = screen
    const backlog = { offset: at, end: stop, msPerByte, screens: busyFeeders() }
    const later = endWorthDrawing(backlog)
    if (later !== undefined) return void screen.leaveOutTo(later)
    const most = Math.min(Math.max(at - start, slices.firstBytes), slices.mostBytes)
    const { offset, bytes } = readJournal(journal, at, Math.max(0, Math.min(most, stop - at)))
    const isOver = bytes.length === 0 || offset >= stop
    const reached = isOver ? Number.POSITIVE_INFINITY : offset
    // Output in between was left out.
    while (coming[1] && coming[1].offset <= at) coming.shift()
    if (coming[0] && coming[0].offset <= reached) return screen.resize(coming.shift()!)
    if (isOver) {
      isDone = true
      return
    }
    screen.skipTo(offset)
    const isReplay = offset < answerFrom
    const until = Math.min(coming[0]?.offset ?? stop, isReplay ? answerFrom : Number.POSITIVE_INFINITY)
    void screen.feed(bytes.subarray(0, until - offset), { isReplay })
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
