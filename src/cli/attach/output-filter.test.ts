import { drawRuns } from './draw-runs.ts'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { outputStep } from '../../../test/fixtures/terminal-output.ts'
import type { Screen } from '../../terminal/screen/screen.ts'
import { createOutputFilter } from './output-filter.ts'

const pass = (output: string, clipboard = false) => createOutputFilter({ clipboard }).pass(output).text

describe('a terminal behind the filter', () => {
  test('shows the same as one without it, and never gets a question', async () => {
    const steps = fc.array(
      outputStep.filter((step) => step.is === 'output' && !isChangedByFilter(step.bytes.toString())),
      { minLength: 1, maxLength: 80, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (outputs) => {
        const size = { cols: 30, rows: 8 }
        const filter = createOutputFilter({ clipboard: false })
        let answers = ''
        using whole = await screenWith('', { size })
        using filtered = await screenWith('', { size, onAnswer: (bytes) => (answers += bytes.toString()) })
        for (const step of outputs) {
          if (step.is !== 'output') continue
          void whole.feed(step.bytes)
          void filtered.feed(Buffer.from(filter.pass(step.bytes.toString()).text))
        }
        await Promise.all([whole.settled(), filtered.settled()])
        expect(look(filtered)).toEqual(look(whole))
        expect(answers).toBe('')
      }),
      { numRuns: 300 },
    )
  })

  test('shows a shell unchanged, even if its output arrives in small pieces', async () => {
    const output = readFileSync(new URL('../../../test/recordings/bash.raw', import.meta.url), 'utf8')
    const size = { cols: 80, rows: 24 }
    const filter = createOutputFilter({ clipboard: false })
    using whole = await screenWith(output, { size })
    using filtered = await screenWith('', { size })
    for (let at = 0; at < output.length; at += 7) {
      void filtered.feed(Buffer.from(filter.pass(output.slice(at, at + 7)).text))
    }
    await filtered.settled()
    expect(look(filtered)).toEqual(look(whole))
  })
})

describe('the filter removes a question to the terminal about', () => {
  test.each([
    ['its type', '\x1b[c\x1b[0c\x1b[>c\x1b[=c\x1bZ'],
    ['its state and its cursor', '\x1b[5n\x1b[6n\x1b[?6n\x1b[x'],
    ['its version, its keyboard, its modes', '\x1b[>q\x1b[>0q\x1b[?u\x1b[?2026$p\x1b[4$p'],
    ['its window', '\x1b[14t\x1b[18t\x1b[21t'],
    ['its settings', '\x1bP$qm\x1b\\\x1bP+q544e\x1b\\'],
    ['its colours', '\x1b]4;1;?\x07\x1b]10;?\x07\x1b]11;?\x1b\\\x1b]12;?\x07'],
    ['the clipboard', '\x1b]52;c;?\x07'],
    ['its graphics', '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\'],
    ['its type, in 8-bit controls', '\x9bc\x9b6n'],
    ['its name', '\x05'],
  ])('%s', (_, output) => {
    expect(pass(`a${output}b`, true)).toBe('ab')
  })
})

describe('the filter removes a sequence whose effect would outlast the session:', () => {
  test.each([
    ['it erases the scrollback', '\x1b[3J'],
    ['it changes key encodings', '\x1b[>4;2m\x1b[>1u\x1b[=1u\x1b[<u\x1b[?9001h\x1b[2h'],
    ['it changes the size of the window', '\x1b[8;50;200t\x1b[?3h\x1b[?40h'],
    ['it sets the working directory or marks shell prompts', '\x1b]7;file:///tmp\x07\x1b]133;A\x07'],
    ['it changes the character encoding', '\x1b%@'],
    ['it shows a progress bar in the title', '\x1b]9;4;1;50\x07'],
    ['it prints on paper', '\x1b[5i\x1b[?5i'],
  ])('%s', (_, output) => {
    expect(pass(`a${output}b`)).toBe('ab')
  })
})

test.each([
  ['colours and styles', '\x1b[1;38;2;1;2;3m\x1b[4:3m'],
  ['the keyboard and the mouse', '\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b='],
  ['the cursor', '\x1b[?25l\x1b[4 q\x1b[5;6H\x1b7\x1b8'],
  ['titles and links', '\x1b]0;title\x1b\\\x1b]8;;https://a.example\x1b\\'],
  ['notifications and bells', '\x1b]9;done\x1b\\\x1b]777;notify;a;b\x1b\\\x07'],
])('the filter keeps sequences for %s', (_, output) => {
  expect(pass(output)).toBe(output)
})

test.each([
  ['programs, macros and progress bars of ConEmu', '\x1b]9;7;cmd\x07\x1b]9;6;macro\x07\x1b]9;4;1;50\x07\x1b]9;12\x07'],
  ['extensions of urxvt', '\x1b]777;ext;run\x07\x1b]777;precmd\x07'],
  ['files for iTerm, and notifications with buttons', '\x1b]1337;File=:AAAA\x07\x1b]99;i=1:p=buttons;x\x1b\\'],
  ['passthrough of tmux and screen', '\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\\x1bP\x1b]52;c;aGk=\x07\x1b\\'],
  ['control strings that nothing uses', '\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\'],
])('the filter removes sequences for %s', (_, output) => {
  expect(pass(`a${output}b`)).toBe('ab')
})

const hostileLinks = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///home/me/run.desktop',
  'ssh://-oProxyCommand=x',
  'ms-msdt:/id',
  'x',
]

test.each(['https://a.example/?x;y', 'http://a.example', 'mailto:a@a.example'])('a link to %s is kept', (url) => {
  const link = `\x1b]8;id=1;${url}\x1b\\text\x1b]8;;\x1b\\`
  expect(pass(link)).toBe(link)
  expect(drawRuns([{ text: 'text', col: 0, width: 4, fg: '', bg: '', link: url }])).toContain(url)
})

test.each(hostileLinks)('of a link to "%s", only the text is kept', (url) => {
  expect(pass(`\x1b]8;;https://a.example\x1b\\a\x1b]8;id=1;${url}\x07b\x1b]8;;\x07`)).toBe(
    '\x1b]8;;https://a.example\x1b\\a\x1b]8;;\x1b\\b\x1b]8;;\x1b\\',
  )
  expect(drawRuns([{ text: 'text', col: 0, width: 4, fg: '', bg: '', link: url }])).toBe('text')
})

test('the filter checks each mode of a sequence with several modes', () => {
  expect(pass('\x1b[?25;9001;2004l')).toBe('\x1b[?25l\x1b[?2004l')
})

test('a program can set the clipboard only if that is allowed', () => {
  const copy = '\x1b]52;c;aGk=\x1b\\'
  expect(pass(copy, true)).toBe(copy)
  expect(pass(copy, false)).toBe('')
})

test('undo resets the colours that the program has set, and no others', () => {
  const filter = createOutputFilter({ clipboard: false })
  expect(filter.undo(80)).toBe('')
  filter.pass('\x1b]11;#102030\x07\x1b]4;1;#ff0000\x07')
  expect(filter.undo(80)).toBe('\x1b]111\x1b\\\x1b]104\x1b\\')
})

test('undo restores the default tab stops if the program has changed them', async () => {
  const filter = createOutputFilter({ clipboard: false })
  const { text } = filter.pass('\x1b[3g\x1b[5G\x1bH')
  using screen = await screenWith(`${text}${filter.undo(20)}\r\ta\tb`)
  expect(screen.row(0).text).toBe('        a       b')
})

describe('the alternate screen of the program', () => {
  test.each(['47', '1047', '1049'])('entered by mode %s is emulated on our own alternate screen', (mode) => {
    const filter = createOutputFilter({ clipboard: false })
    const entered = filter.pass(`a\x1b[?${mode}hb`)
    expect(entered.isStale).toBe(false)
    expect(entered.text).toContain('\x1b[2J')
    expect(entered.text).not.toContain(mode)
    expect(filter.pass(`c\x1b[?25h\x1b[?${mode}ld`)).toEqual({ text: 'c\x1b[?25h', isStale: true })
  })

  test('is not left by a full reset of the terminal', async () => {
    using screen = await screenWith(`\x1b[?1049hold\x1b[?2004h${pass('\x1bcnew')}`)
    expect(screen.modes).toMatchObject({ alternateScreen: true, bracketedPaste: false })
    expect(screen.row(0).text).toBe('new')
  })
})

/**
 * Output that the filter changes on purpose: the alternate screen, full resets, the scrollback and the stack of titles. A
 * combining mark or a repetition after a question differs too: without the question, it applies to the character before.
 * No real program prints that.
 */
function isChangedByFilter(output: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /\x1b\[\?(1049|1047|47)[hl]|\x1bc|\x1b\[3J|\x1b\[2[23]t|^[\p{M}\p{Cf}]|\x1b\[\d*b/u.test(output)
}

/** Everything visible. */
function look(screen: Screen): object {
  const { title, modes, colours } = screen
  const { foreground, background } = colours
  const rows = screen.rows().map((row) => ({ text: row.text, runs: row.runs() }))
  return { title, modes, cursor: screen.cursor(), foreground, background, rows }
}
