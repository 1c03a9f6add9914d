import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { outputStep } from '../../../test/fixtures/terminal-output.ts'
import type { Screen } from '../../terminal/screen.ts'
import { createScreen } from '../../terminal/screen.ts'
import type { View } from './view.ts'
import { createView } from './view.ts'

/** A person's terminal, on the alternate screen as an attached one is, and a view on it. */
async function windowOf(size: {
  cols: number
  rows: number
}): Promise<{ window: Screen; view: View; answers(): string }> {
  let answers = ''
  const window = await screenWith('mine\r\n\x1b[?1049h', { size, onAnswer: (bytes) => (answers += bytes.toString()) })
  const terminal = {
    get size() {
      return window.size
    },
    write: (text: string) => void window.feed(Buffer.from(text)),
    onLeave: () => {},
    [Symbol.dispose]: () => {},
  }
  return { window, view: createView(terminal, { clipboard: false, createScreen }), answers: () => answers }
}

/**
 * Passes output on as `attach` does: what cannot be drawn in the middle of a sequence can be a little later. Says whether
 * all of it is shown by now.
 */
async function follow(program: Screen, view: View, outputs: readonly Buffer[]): Promise<boolean> {
  let isStale = false
  for (const output of outputs) {
    await program.feed(output)
    isStale ||= view.show(output).isStale
    const snapshot = isStale ? program.snapshot() : undefined
    if (!snapshot) continue
    view.draw(snapshot.drawing, snapshot.size)
    isStale = false
  }
  return !isStale
}

describe('in a window of its size', () => {
  test.each(['bash', 'less', 'vim', 'tmux'])('%s is seen as it is, from the beginning on', async (name) => {
    const size = { cols: 80, rows: 24 }
    const recording = readFileSync(new URL(`../../../test/recordings/${name}.raw`, import.meta.url))
    using program = await screenWith('', { size })
    const { window, view, answers } = await windowOf(size)
    view.draw('', size)
    await follow(program, view, pieces(recording, 50))
    await window.settled()
    expect(look(window)).toEqual(look(program))
    expect(window.modes.alternateScreen).toBe(true)
    expect(answers()).toBe('')
  })

  test('whoever comes in the middle sees what is there, and all that follows', async () => {
    const size = { cols: 30, rows: 8 }
    const steps = fc.array(
      outputStep.filter((step) => step.is === 'output' && !isTreatedOtherwise(step.bytes.toString())),
      { maxLength: 60, size: 'max' },
    )
    let drawn = 0
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        using program = await screenWith('', { size })
        for (const step of before) if (step.is === 'output') void program.feed(step.bytes)
        await program.settled()
        const snapshot = program.snapshot()
        if (!snapshot) return
        drawn++
        const { window, view, answers } = await windowOf(size)
        view.draw(snapshot.drawing, size)
        await window.settled()
        expect(look(window)).toEqual(look(program))
        const outputs = after.flatMap((step) => (step.is === 'output' ? [step.bytes] : []))
        const isShown = await follow(program, view, outputs)
        await window.settled()
        if (isShown) expect(window.text()).toBe(program.text())
        expect(answers()).toBe('')
        window[Symbol.dispose]()
      }),
      { numRuns: 200 },
    )
    expect(drawn).toBeGreaterThan(100)
  })
})

describe('in a window of another size', () => {
  test('as much is seen as fits, and the cursor is in it', async () => {
    const size = { cols: 40, rows: 10 }
    const { window, view } = await windowOf({ cols: 12, rows: 4 })
    view.draw(`${lines(9)}\x1b[1;31mbold red\x1b[0m and more`, size)
    await vi.waitFor(() => expect(window.text()).toBe('line 7\nline 8\nline 9\nbold red and'), patience)
    expect(window.cell(3, 0).look).toMatchObject({ bold: true, foreground: '#cc0000' })

    view.show(Buffer.from('\x1b[2J\x1b[1;1Htop漢字漢字漢字'))
    await vi.waitFor(() => expect(window.text()).toBe('top漢字漢字'), patience)
    expect(window.cursor()).toMatchObject({ row: 0, isVisible: false })
    view.show(Buffer.from('\x1b[2;3H\x1b[?1h'))
    await vi.waitFor(() => expect(window.cursor()).toMatchObject({ row: 1, column: 2, isVisible: true }), patience)
    expect(window.modes).toMatchObject({ applicationCursor: true, alternateScreen: true })
  })

  test('a program on its alternate screen is seen there and back', async () => {
    const { window, view } = await windowOf({ cols: 20, rows: 5 })
    view.draw('before', { cols: 40, rows: 10 })
    expect(view.show(Buffer.from('\x1b[?1049h\x1b[Hinside')).isStale).toBe(false)
    await vi.waitFor(() => expect(window.text()).toBe('inside'), patience)
    view.show(Buffer.from('\x1b[?1049l after'))
    await vi.waitFor(() => expect(window.text()).toBe('before after'), patience)
  })

  test('of the size again, output is passed on once more', async () => {
    const { window, view } = await windowOf({ cols: 20, rows: 5 })
    view.draw('small', { cols: 40, rows: 10 })
    view.draw('right', { cols: 20, rows: 5 })
    view.show(Buffer.from(' size'))
    await window.settled()
    expect(window.text()).toBe('right size')
  })
})

test('a notice stands on the last row, whatever is printed, until it is taken back', async () => {
  const size = { cols: 20, rows: 4 }
  const { window, view } = await windowOf(size)
  view.draw('text', size)
  view.tell('a notice that is too long for it')
  await window.settled()
  expect(window.text()).toBe('text\n\n\n a notice that is to')
  expect(view.show(Buffer.from(' goes on')).isStale).toBe(true)

  view.draw('text goes on', size)
  expect(view.show(Buffer.from(`\r\n${lines(6)}end`)).isStale).toBe(false)
  await vi.waitFor(() => expect(window.text()).toBe('line 5\nline 6\nend\n a notice that is to'), patience)
  view.tell(undefined)
  view.draw('text', size)
  await window.settled()
  expect(window.text()).toBe('text')
})

const patience = { timeout: 5_000, interval: 10 }

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\r\n`).join('')
}

function pieces(bytes: Buffer, length: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
}

/**
 * Held back on purpose; or kept for each of both screens, as saved cursors and tab stops are, where here is only one; or
 * the test pattern, which the emulator draws on other rows where lines have scrolled off.
 */
function isTreatedOtherwise(output: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /\x1b[78cH]|\x1b#8|\x1b\[\d*g|\x1b\[[su]|\x1b\[\?1048|\x1b\[3J|\x1b\[2[23]t|[\p{M}\p{Cf}]|\x1b\[\d*b/u.test(
    output,
  )
}

function rowsOf(screen: Screen): object {
  return screen.rows().map((row) => ({ text: row.text, runs: row.runs() }))
}

/** All that is to be seen, but for the screen it is on. */
function look(screen: Screen): object {
  const { title, colours } = screen
  const { alternateScreen: _, ...modes } = screen.modes
  const { foreground, background } = colours
  return { title, modes, cursor: screen.cursor(), foreground, background, rows: rowsOf(screen) }
}
