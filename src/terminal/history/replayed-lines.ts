/**
 * All lines that ever scrolled off a screen, as far back as the journal goes. The journal is replayed to a separate
 * emulator, and its lines are frozen on the way. A later resize does not rewrap frozen lines.
 */
import { cpuMs } from '../../base/cpu-ms.ts'
import { HubError } from '../../base/hub-error.ts'
import { journalBounds, readIndexes, readJournal } from '../journal/journal.ts'
import type { TextRow } from '../screen/screen-rows.ts'
import type { Screen } from '../screen/screen.ts'
import { createScreen } from '../screen/screen.ts'
import { createFrozenLines } from './frozen-lines.ts'

export interface ReplayedLines extends Disposable {
  readonly total: number
  /** Replays up to the current end of the journal. Throws if that takes too long. The next call goes on from there. */
  follow(withinMs: number): void
  /** 0 is the oldest line. */
  rows(from: number, to: number): readonly TextRow[]
}

const maxFrozenBytes = 32 * 1024 * 1024
const sliceBytes = 32 * 1024
/** Small, so that the lines that one piece scrolls off fit into the scrollback. */
const pieceBytes = 4 * 1024
/** As many lines as a taller screen may show again. */
const unfrozenLines = 300
const freezeBeyond = 2_000
const scrollbackLines = freezeBeyond + pieceBytes

export function replayLines(journal: string): ReplayedLines {
  const frozen = createFrozenLines(maxFrozenBytes)
  let screen: Screen | undefined

  function begin(): Screen {
    const { firstOffset } = journalBounds(journal)
    const [size = { cols: 80, rows: 24 }] = readIndexes(journal, { kinds: ['begin', 'resize'] })
    const onScrollbackCleared = () => frozen.clear()
    return createScreen({ size, scrollbackLines, offset: firstOffset, onAnswer: () => {}, onScrollbackCleared })
  }

  function freeze(replayed: Screen, keep: number): void {
    const rows = replayed.scrollback()
    const count = rows.length - keep
    if (count <= 0) return
    for (const row of rows.slice(0, count)) frozen.add(row)
    replayed.dropScrollback(count)
  }

  function feed(replayed: Screen, bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      void replayed.feed(bytes.subarray(start, start + pieceBytes), { isReplay: true })
      replayed.flush()
      if (replayed.scrollbackLength > freezeBeyond) freeze(replayed, unfrozenLines)
    }
  }

  return {
    get total() {
      return frozen.length + (screen?.scrollbackLength ?? 0)
    },
    follow(withinMs) {
      screen ??= begin()
      const began = cpuMs()
      const { offset: end } = journalBounds(journal)
      const sizes = readIndexes(journal, { from: screen.offset, kinds: ['begin', 'resize'] })
      const coming = sizes.filter(({ offset }) => offset >= screen!.offset)
      for (;;) {
        const { offset, bytes } = readJournal(journal, screen.offset, sliceBytes)
        const at = bytes.length > 0 && offset < end ? offset : Number.POSITIVE_INFINITY
        if (coming[0] && coming[0].offset <= at) {
          freeze(screen, unfrozenLines)
          screen.resize(coming.shift()!)
          screen.flush()
          continue
        }
        if (at === Number.POSITIVE_INFINITY) return
        screen.skipTo(offset)
        if (cpuMs() - began > withinMs) throw tooSlow(end - offset)
        feed(screen, bytes.subarray(0, Math.min(end, coming[0]?.offset ?? end) - offset))
      }
    },
    rows(from, to) {
      const { length } = frozen
      const recent = screen?.scrollback().slice(Math.max(0, from - length), Math.max(0, to - length)) ?? []
      return [...frozen.rows(Math.min(from, length), Math.min(to, length)), ...recent]
    },
    [Symbol.dispose]: () => screen?.[Symbol.dispose](),
  }
}

function tooSlow(bytes: number): HubError {
  return new HubError(
    'busy',
    `The lines above the screen take too long to draw: ${bytes} bytes of output are left. Read the screen, call read_output for the bytes, or ask again to go on.`,
  )
}
