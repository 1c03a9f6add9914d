import { readFileSync } from 'node:fs'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import headless from '@xterm/headless'
import { describe, expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { checkSnapshots, readAll, stored, take } from '../../../test/fixtures/snapshot-property.ts'
import type { Step } from '../../../test/fixtures/terminal-output.ts'
import type { Snapshot } from './screen.ts'
import { createScreen } from './screen.ts'

// The soak test tries thousands.
test('continuing from a snapshot gives the same screen as all output', async () => {
  const checked = await checkSnapshots({ seed: 1, numRuns: 60 })
  expect(checked, 'too few states had a snapshot').toBeGreaterThan(50)
})

/** Past bugs: size, scrollback lines, and the output before and after the snapshot; a pair is a resize. */
const regressions: readonly (readonly [
  string,
  Pair,
  number,
  readonly (string | Pair)[],
  readonly (string | Pair)[],
])[] = [
  ['empty cells with the attributes of text', [5, 1], 0, ['é한글\x1b[38;5;200m', [3, 3], '漢字'], ['hello']],
  [
    'half of a wide character after an insertion',
    [2, 1],
    0,
    [[7, 2], '\x1b[3m\r\nx', '👨\u200d👩\x1b[;r\r\n', '👨\u200d👩\x1b[@\x1b[40G😀'],
    ['\x1b[;H'],
  ],
  ['lines that a resize has pushed out', [5, 2], 3, ['\x1b#8', [2, 2]], ['hello']],
  ['tab stops beyond the edge', [9, 1], 0, [[2, 1]], ['hello\x1bH', [10, 1], '\t', 'x']],
  ['halves of characters with combining marks', [6, 1], 40, ['abcd👨\u200d', [5, 1]], ['\r\n', [2, 1]]],
  ['lines wrapped after half a character', [2, 1], 0, [[4, 2], 'hello', '\x1b[;H', '漢字', [2, 2], '\u200b'], ['x']],
  ['lines in a ring buffer that has wrapped', [5, 4], 0, ['\x1b[40C\x1b[ehello\r\n\r\n\x1b[;r'], ['\r\n\x1bD', [2, 4]]],
]
type Pair = readonly [cols: number, rows: number]

function stepOf(step: string | Pair): Step {
  if (typeof step === 'string') return { is: 'output', bytes: Buffer.from(step) }
  return { is: 'resize', size: { cols: step[0], rows: step[1] } }
}

test.each(regressions)('a snapshot restores %s', async (_, [cols, rows], scrollbackLines, before, after) => {
  const options = { size: { cols, rows }, scrollbackLines }
  using whole = await screenWith('', options)
  await take(whole, before.map(stepOf))
  using again = await screenWith('', { ...options, from: stored(whole.snapshot()!) })
  expect(readAll(again)).toEqual(readAll(whole))
  await take(whole, after.map(stepOf))
  await take(again, after.map(stepOf))
  expect(readAll(again)).toEqual(readAll(whole))
})

describe.each(['vim', 'less', 'tmux', 'bash'])('a recording of %s', (name) => {
  const recording = readFileSync(new URL(`../../../test/recordings/${name}.raw`, import.meta.url))
  const size = { cols: 80, rows: 24 }

  test('continues from a snapshot at any point', async () => {
    using whole = await screenWith('', { size })
    await whole.feed(recording)
    let drawn = 0
    for (let point = 37; point < recording.length; point += Math.ceil(recording.length / 20)) {
      using first = await screenWith(recording.subarray(0, point), { size })
      const snapshot = first.snapshot()
      if (!snapshot) continue
      drawn++
      using again = await screenWith(recording.subarray(point), { size, from: stored(snapshot) })
      expect(readAll(again)).toEqual(readAll(whole))
    }
    expect(drawn).toBeGreaterThan(5)
  })

  test('is drawn from a snapshot by a plain emulator', async () => {
    for (let point = 37; point < recording.length; point += Math.ceil(recording.length / 10)) {
      using screen = await screenWith(recording.subarray(0, point), { size })
      const snapshot = screen.snapshot()
      if (!snapshot) continue
      const page = await drawOnPage(snapshot)
      expect({ rows: screen.rows().map(({ text }) => text), cursor: screen.cursor(), modes: screen.modes }).toEqual(
        page,
      )
    }
  })
})

/** The screen of a page with a plain emulator, after the snapshot and further output. */
async function drawOnPage({ size, drawing }: Snapshot, after = ''): Promise<object> {
  const page = new headless.Terminal({ ...size, scrollback: 100, allowProposedApi: true })
  page.loadAddon(new Unicode11Addon())
  page.unicode.activeVersion = '11'
  await new Promise<void>((resolve) => page.write(drawing + after, resolve))
  const { active } = page.buffer
  const lines = Array.from({ length: size.rows }, (_, row) => active.getLine(active.baseY + row)!.translateToString())
  const column = Math.min(active.cursorX, size.cols - 1)
  const { bracketedPasteMode, applicationCursorKeysMode, applicationKeypadMode, mouseTrackingMode } = page.modes
  return {
    rows: lines.map((line) => line.trimEnd()),
    cursor: expect.objectContaining({ row: active.cursorY, column }) as object,
    modes: {
      alternateScreen: active.type === 'alternate',
      bracketedPaste: bracketedPasteMode,
      applicationCursor: applicationCursorKeysMode,
      applicationKeypad: applicationKeypadMode,
      mouse: mouseTrackingMode,
    },
  }
}

/** A state, the output that sets it, and output that shows whether it was restored. */
const states: readonly (readonly [string, string, string])[] = [
  ['margins', '1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H', '\r\nnew\x1b[1;1Htop'],
  ['margins and origin mode', '\x1b[2;3r\x1b[?6h\x1b[2;5H', 'x\x1b[1;1Hy'],
  ['a saved cursor with its attributes', '\x1b[2;5H\x1b[1;31m\x1b7\x1b[0m\x1b[H', '\x1b8here'],
  ['a saved cursor that has scrolled off', '\r\n\x1b7\r\n\r\n\r\n\r\n\r\n\r\n', '\x1b[3J\x1b8here'],
  ['a saved cursor with its character set', '\x1b(0\x1b7\x1b(B\x1b[2;2H', '\x1b8qqx'],
  ['a cursor saved on either screen', '\x1b[2;2H\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[H', '\x1b8a\x1b[?47l\x1b8n'],
  ['a cursor saved on the screen that is not shown', '\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b[H', '\x1b[?47h\x1b8a'],
  ['line drawing', '\x1b(0', 'qqx\x1b(Bq'],
  ['line drawing in the second set', '\x1b)0\x0e', 'qqx\x0fq'],
  ['tab stops', '\x1b[3g\x1b[6G\x1bH\x1b[H', '\tx\ty'],
  ['a character in the last column', '01234567890123456789', 'wraps'],
  ['a wide character in the last columns', '012345678901234567漢', 'wraps'],
  ['a full line that was erased up to its end', `${'x'.repeat(20)}\x1b[1K`, 'wraps'],
  ['no wrapping', '\x1b[?7l0123456789012345678', 'abc'],
  ['insert mode', 'world\x1b[H\x1b[4h', 'hello '],
  ['attributes of the next character', '\x1b[1;4:3;58:2::1:2:3;38;5;9;48;2;1;2;3m', 'x\x1b[24my'],
  ['an open link', '\x1b]8;id=a;https://a.example\x07li', 'nk\x1b]8;;\x07'],
  ['attributes restored without their underline style', '\x1b7\x1b[4:3m\x1b8', 'x\x1b[4my'],
  ['a title and the title stack', '\x1b]2;one\x07\x1b[22t\x1b]2;two\x07\x1b[22t\x1b]2;three\x07', '\x1b[23t\x1b[23t'],
  ['a changed palette', '\x1b]4;1;#123456\x07\x1b]11;#111111\x07', '\x1b[31mx'],
  ['the directory and the prompt state', '\x1b]7;file:///a\x07\x1b]133;C\x07', 'x'],
  ['a character that may get a combining mark', 'e', '\u0301'],
  ['a character that may be repeated', 'ab', '\x1b[3b'],
  ['a combining mark without a character', '\x1b[H\u0301', '\u0301'],
  ['the alternate screen over the normal one', 'shell\r\n\x1b[?1049h\x1b[2;2Hvim\x1b[44m\x1b[K', '\x1b[?1049lback'],
  ['a wrapped line with no line above it', `\x1b[?1049h${'x'.repeat(90)}`, '\x1b[H\x1b[P'],
  ['a wrapped line whose start was erased', `${'x'.repeat(25)}\x1b[H\x1b[2K`, 'y'],
  ['an erased background colour', '\x1b[44m\x1b[2;3H\x1b[K\x1b[0m\x1b[H', 'x'],
  ['half of a wide character', '\x1b[31m漢\x1b[1;2Hx', '\x1b[1;1Hy'],
  ['a blinking bar cursor', '\x1b[5 q\x1b[?25l', '\x1b[?25h'],
  ['mouse and key modes', '\x1b[?1;1000;1006;2004h\x1b=', '\x1b[?1000l'],
  ['a half-drawn frame', '\x1b[?2026hx', 'y\x1b[?2026l'],
]

test.each(states)('a snapshot restores %s', async (_, before, after) => {
  using whole = await screenWith(before)
  const snapshot = whole.snapshot()
  expect(snapshot).toBeDefined()
  using again = await screenWith('', { from: stored(snapshot!) })
  expect(readAll(again)).toEqual(readAll(whole))
  await whole.feed(Buffer.from(after))
  await again.feed(Buffer.from(after))
  expect(readAll(again)).toEqual(readAll(whole))
  expect(again.snapshot()).toEqual(whole.snapshot())
})

/** States that no sequence can express. A page does without them. */
const beyondSequences = [
  'a saved cursor that has scrolled off',
  'a full line that was erased up to its end',
  'a character that may get a combining mark',
  'a character that may be repeated',
]

test.each(states.filter(([name]) => !beyondSequences.includes(name)))(
  'a plain emulator restores %s from a snapshot',
  async (_, before, after) => {
    using screen = await screenWith(before)
    const snapshot = screen.snapshot()!
    await screen.feed(Buffer.from(after))
    const shown = { rows: screen.rows().map(({ text }) => text), cursor: screen.cursor(), modes: screen.modes }
    expect(shown).toEqual(await drawOnPage(snapshot, after))
  },
)

test.each([
  ['inside a sequence', '\x1b[3'],
  ['inside a title', '\x1b]0;half a ti'],
  ['inside a character', Buffer.from('漢').subarray(0, 2)],
  ['with a rare character set', '\x1b(K'],
  ['with an active character set that is not designated', '\x1b(0\x1b8'],
])('there is no snapshot %s', async (_, output) => {
  using screen = await screenWith(output)
  expect(screen.snapshot()).toBeUndefined()
})

test('there is no snapshot while an earlier one is being drawn', async () => {
  using screen = await screenWith('x\r\n'.repeat(100))
  const snapshot = screen.snapshot()!
  const long = { ...snapshot, drawing: snapshot.drawing.repeat(2_000) }
  using again = createScreen({ size: snapshot.size, scrollbackLines: 100, onAnswer: () => {}, from: long })
  expect(again.snapshot()).toBeUndefined()
  await again.settled()
  expect(again.snapshot()).toBeDefined()
})
