import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { outputStep } from '../../../test/fixtures/terminal-output.ts'
import type { Screen } from '../../terminal/screen/screen.ts'
import { createScreen } from '../../terminal/screen/screen.ts'
import type { View } from './view.ts'
import { createView } from './view.ts'

/** A person's terminal, on the alternate screen as during `attach`, and a view on it. */
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
 * Passes output to the view as `attach` does. No snapshot can be taken in the middle of a sequence, so a redraw may come a
 * few outputs later. Returns whether all output is shown exactly. It may not be after a switch of the screen with the
 * cursor in the last column: no sequence leaves a terminal about to wrap beside an empty cell.
 */
async function follow(program: Screen, view: View, outputs: readonly Buffer[]): Promise<boolean> {
  let isStale = false
  let isExact = true
  for (const output of outputs) {
    await program.feed(output)
    isExact &&= !(isSwitch(output) && program.cursor().column === program.size.cols - 1)
    isStale ||= view.show(output).isStale
    const snapshot = isStale ? program.snapshot() : undefined
    if (!snapshot) continue
    view.draw(snapshot.drawing, snapshot.size)
    isStale = false
  }
  return isExact && !isStale
}

/** To the alternate screen or back. */
function isSwitch(output: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex
  return /\x1b\[\?(47|1047|1049)[hl]/.test(output.toString())
}

describe('in a window of the size of the session', () => {
  test.each(['bash', 'less', 'vim', 'tmux'])('the view shows all of %s from its start', async (name) => {
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

  test('a view that starts late shows the current screen and everything after it', async () => {
    const size = { cols: 30, rows: 8 }
    const steps = fc.array(
      outputStep.filter((step) => step.is === 'output' && !isShownDifferently(step.bytes.toString())),
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
  test('the view shows the part that fits and contains the cursor', async () => {
    const size = { cols: 40, rows: 10 }
    const { window, view } = await windowOf({ cols: 12, rows: 4 })
    view.draw(`${lines(9)}\x1b[1;31mbold red\x1b[0m and more`, size)
    await vi.waitFor(() => expect(window.text()).toBe('line 7\nline 8\nline 9\nbold red and'), slowly)
    expect(window.cell(3, 0).style).toMatchObject({ bold: true, foreground: '#cc0000' })

    view.show(Buffer.from('\x1b[2J\x1b[1;1Htop漢字漢字漢字'))
    await vi.waitFor(() => expect(window.text()).toBe('top漢字漢字'), slowly)
    expect(window.cursor()).toMatchObject({ row: 0, isVisible: false })
    view.show(Buffer.from('\x1b[2;3H\x1b[?1h'))
    await vi.waitFor(() => expect(window.cursor()).toMatchObject({ row: 1, column: 2, isVisible: true }), slowly)
    expect(window.modes).toMatchObject({ applicationCursor: true, alternateScreen: true })
  })

  test('the view follows a program to its alternate screen and back', async () => {
    const { window, view } = await windowOf({ cols: 20, rows: 5 })
    view.draw('before', { cols: 40, rows: 10 })
    expect(view.show(Buffer.from('\x1b[?1049h\x1b[Hinside')).isStale).toBe(false)
    await vi.waitFor(() => expect(window.text()).toBe('inside'), slowly)
    view.show(Buffer.from('\x1b[?1049l after'))
    await vi.waitFor(() => expect(window.text()).toBe('before after'), slowly)
  })

  test('the view passes output through again once the sizes match', async () => {
    const { window, view } = await windowOf({ cols: 20, rows: 5 })
    view.draw('small', { cols: 40, rows: 10 })
    view.draw('right', { cols: 20, rows: 5 })
    view.show(Buffer.from(' size'))
    await window.settled()
    expect(window.text()).toBe('right size')
  })
})

test('a notice stays on the last row during output, until it is removed', async () => {
  const size = { cols: 20, rows: 4 }
  const { window, view } = await windowOf(size)
  view.draw('text', size)
  view.setNotice('a notice that is too long for it')
  await window.settled()
  expect(window.text()).toBe('text\n\n\n a notice that is to')
  expect(view.show(Buffer.from(' goes on')).isStale).toBe(true)

  view.draw('text goes on', size)
  expect(view.show(Buffer.from(`\r\n${lines(6)}end`)).isStale).toBe(false)
  await vi.waitFor(() => expect(window.text()).toBe('line 5\nline 6\nend\n a notice that is to'), slowly)
  view.setNotice(undefined)
  view.draw('text', size)
  await window.settled()
  expect(window.text()).toBe('text')
})

const slowly = { timeout: 60_000, interval: 10 }

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\r\n`).join('')
}

function pieces(bytes: Buffer, length: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )
}

/**
 * Output that the view shows differently on purpose: sequences that the filter removes; saved cursors and tab stops,
 * which a terminal keeps per screen and the view has only one; and the test pattern, which the emulator draws on other
 * rows once lines have scrolled off.
 */
function isShownDifferently(output: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /\x1b[78cH]|\x1b#8|\x1b\[\d*g|\x1b\[[su]|\x1b\[\?1048|\x1b\[3J|\x1b\[2[23]t|[\p{M}\p{Cf}]|\x1b\[\d*b/u.test(
    output,
  )
}

function rowsOf(screen: Screen): object {
  return screen.rows().map((row) => ({ text: row.text, runs: row.runs() }))
}

/** Everything visible. Whether it is on the alternate screen does not count. */
function look(screen: Screen): object {
  const { title, colours } = screen
  const { alternateScreen: _, ...modes } = screen.modes
  const { foreground, background } = colours
  return { title, modes, cursor: screen.cursor(), foreground, background, rows: rowsOf(screen) }
}
