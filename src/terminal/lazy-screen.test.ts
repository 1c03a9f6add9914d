import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { screenWith } from '../../test/fixtures/screen-with.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { openJournalWriter } from './journal/journal-writer.ts'
import type { LazyScreen } from './lazy-screen.ts'
import { createLazyScreen } from './lazy-screen.ts'
import { restoreScreen } from './history/restore.ts'

interface Past {
  readonly lazy: LazyScreen
  readonly texts: readonly string[]
  readonly bytes: number
  /** The offset at each call of `onDrawn`. */
  readonly drawnTo: readonly number[]
}

const size = { cols: 60, rows: 16 }
/** Slow to draw, so that one read from the journal is drawn in several time slices. */
const slow = '\x1b[?47h\x1b[2J\x1b[?47l'.repeat(8)

/** The first `savedLines` are also in a snapshot. */
async function pastOf({ lines, savedLines }: { lines: number; savedLines: number }): Promise<Past> {
  const journal = join(temporaryDirectory(), 'journal')
  const writer = openJournalWriter({ directory: journal, limits: { segmentBytes: 1e6, maxBytes: 1e7 }, size })
  const texts = Array.from({ length: lines }, (_, index) => `line ${index}`)
  const outputs = texts.map((text) => `${slow}${text}\r\n`)
  for (const output of outputs) writer.append(Buffer.from(output))
  writer.close()

  const { offset: bytes } = writer
  const drawnTo: number[] = []
  using saved = await screenWith(outputs.slice(0, savedLines).join(''), { size, scrollbackLines: lines })
  const snapshot = savedLines > 0 ? saved.snapshot() : undefined
  const options = { journal, snapshot, end: bytes, answerFrom: bytes, size, scrollbackLines: lines }
  const lazy = createLazyScreen(
    () => restoreScreen({ ...options, onAnswer: () => {} }),
    (screen) => drawnTo.push(screen.offset),
  )
  return { lazy, texts, bytes, drawnTo }
}

function textsOn({ drawn }: LazyScreen): readonly string[] {
  return [...drawn.scrollback(), ...drawn.rows()].map(({ text }) => text).filter((text) => text !== '')
}

test.each([
  { lines: 1_000, savedLines: 0, behind: 0 },
  { lines: 1_000, savedLines: 0, behind: 80_000 },
  { lines: 1_000, savedLines: 200, behind: 30_000 },
  // All of it is read in one go.
  { lines: 400, savedLines: 0, behind: 0 },
])(
  'all $lines lines are there once if the screen is read after byte $behind, during the drawing',
  async ({ behind, ...past }) => {
    const { lazy, texts, bytes, drawnTo } = await pastOf(past)
    const drawing = lazy.draw()
    while (lazy.begun!.offset <= behind) await setImmediate()
    expect(lazy.begun!.offset, 'drawn in part').toBeLessThan(bytes)
    expect(textsOn(lazy)).toEqual(texts)
    await drawing
    expect(textsOn(lazy)).toEqual(texts)
    expect(drawnTo).toEqual([bytes])
  },
)

test('two callers of draw draw the screen only once', async () => {
  const { lazy, texts, bytes, drawnTo } = await pastOf({ lines: 1_000, savedLines: 0 })
  const first = lazy.draw()
  while (lazy.begun!.offset === 0) await setImmediate()
  await Promise.all([first, lazy.draw()])
  expect(textsOn(lazy)).toEqual(texts)
  expect(drawnTo).toEqual([bytes])
})
