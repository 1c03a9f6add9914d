/** All screens share the time, so a loud one does not delay a quiet one. */
import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { floods } from '../../../test/soak/terminal-floods.ts'

const size = { cols: 120, rows: 40 }
const floodBytes = 512 * 1024

test.each(['reset', 'insert lines', 'scroll up', 'repeat a character', 'alternate screen', 'C1 control characters'])(
  'a quiet screen is drawn while others have much to draw: %s',
  async (flood) => {
    const quiet = await screenWith('', { size })
    const loud = await Promise.all(Array.from({ length: 3 }, () => screenWith('', { size })))
    const bytes = Buffer.from(floods[flood]!.repeat(Math.ceil(floodBytes / floods[flood]!.length)))
    for (const screen of loud) void screen.feed(bytes)
    for (const word of ['one', 'two', 'three']) {
      await quiet.feed(Buffer.from(`${word}\r\n`))
      await new Promise(setImmediate)
    }
    expect(quiet.text()).toBe('one\ntwo\nthree')
    // Of all of them together, less than one piece of before.
    const drawn = loud.reduce((sum, { offset }) => sum + offset, 0)
    expect(drawn).toBeGreaterThan(0)
    expect(drawn).toBeLessThan(32 * 1024)
    for (const screen of [quiet, ...loud]) screen[Symbol.dispose]()
  },
)

test('timers and requests have their turn while screens are drawn', async () => {
  const screen = await screenWith('', { size })
  const done = screen.feed(Buffer.from('\x1bc'.repeat(20_000)))
  let turns = 0
  let isDone = false
  void done.then(() => (isDone = true))
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve))
    turns++
    if (turns === 20) break
  }
  expect(turns).toBe(20)
  expect(screen.offset).toBeLessThan(20_000)
  screen[Symbol.dispose]()
})
