import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'

const plain = {
  foreground: 'default',
  background: 'default',
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  reverse: false,
  struck: false,
  invisible: false,
}

describe('text', () => {
  test('is read without trailing blanks, and lines that scrolled off are still there', async () => {
    const screen = await screenWith('one\r\ntwo  \r\nthree\r\nfour\r\nfive')
    expect(screen.rows().map(({ text }) => text)).toEqual(['two', 'three', 'four', 'five'])
    expect(screen.scrollback().map(({ text }) => text)).toEqual(['one'])
    expect(screen.row(0)).toMatchObject({ text: 'two', printedText: 'two  ' })
  })

  test('keeps the newest lines, as many as requested', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `${index}`)
    const screen = await screenWith(lines.join('\r\n'), { scrollbackLines: 5 })
    expect(screen.scrollback().map(({ text }) => text)).toEqual(lines.slice(41, 46))
  })

  test('of a long line continues in the next row, which is marked as wrapped', async () => {
    const screen = await screenWith('0123456789'.repeat(3))
    expect(screen.rows().map(({ isWrapped }) => isWrapped)).toEqual([false, true, false, false])
  })

  test('may arrive in pieces that split characters', async () => {
    const whole = Buffer.from('é漢😀 e\u0301 \x1b[31mred\x1b[0m')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length)), async (cuts) => {
        const screen = await screenWith('')
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length]
        for (const [index, place] of places.slice(1).entries()) void screen.feed(whole.subarray(places[index], place))
        await screen.settled()
        expect(screen.text()).toBe('é漢😀 e\u0301 red')
        expect(screen.offset).toBe(whole.length)
      }),
      { numRuns: 50 },
    )
  })

  test('takes two columns for a wide character and none for a combining mark', async () => {
    const screen = await screenWith('a漢e\u0301😀b')
    const { text, columnOf } = screen.row(0)
    expect(text).toBe('a漢e\u0301😀b')
    expect(['a', '漢', 'e', '\u0301', '😀', 'b'].map((part) => columnOf(text.indexOf(part)))).toEqual([
      0, 1, 3, 3, 4, 6,
    ])
    expect(columnOf(text.length)).toBe(7)
    expect(screen.cursor().column).toBe(7)
  })

  test('moves a wide character that does not fit to the next row', async () => {
    const screen = await screenWith(`${'x'.repeat(19)}漢`)
    expect(screen.text()).toBe(`${'x'.repeat(19)}\n漢`)
    expect(screen.row(1).isWrapped).toBe(true)
  })

  test('shows a blank for half of a wide character', async () => {
    const screen = await screenWith('漢字\x1b[1;2Hx')
    expect(screen.text()).toBe(' x字')
    expect(screen.cell(0, 0)).toMatchObject({ character: ' ', width: 1 })
  })

  test('keeps the scrollback during an alternate screen, and restores the normal screen after it', async () => {
    const screen = await screenWith('1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h\x1b[Hvim')
    expect(screen.text()).toBe('vim')
    expect(screen.scrollback().map(({ text }) => text)).toEqual(['1'])
    expect(screen.modes.alternateScreen).toBe(true)
    await screen.feed(Buffer.from('\x1b[?1049l'))
    expect(screen.text()).toBe('2\n3\n4\n5')
  })

  test('of the shell is unchanged after a recorded editor session', async () => {
    const recording = readFileSync(new URL('../../../test/recordings/vim.raw', import.meta.url))
    const screen = await screenWith('$ vim\r\n', { size: { cols: 80, rows: 24 } })
    let sawAlternate = false
    for (let at = 0; at < recording.length; at += 100) {
      await screen.feed(recording.subarray(at, at + 100))
      sawAlternate ||= screen.modes.alternateScreen
    }
    expect(sawAlternate).toBe(true)
    expect(screen.modes.alternateScreen).toBe(false)
    expect(screen.row(0).text).toBe('$ vim')
  })

  test('of a row that was read before new output is an error', async () => {
    const screen = await screenWith('one')
    const row = screen.row(0)
    await screen.feed(Buffer.from('\rtwo'))
    expect(() => row.text).toThrow('out of date')
    expect(screen.row(0).text).toBe('two')
  })

  test('outside the screen is an error that names the valid rows and columns', async () => {
    const screen = await screenWith('')
    expect(() => screen.row(4)).toThrow('There is no row 4: the screen has rows 0 to 3.')
    expect(() => screen.cell(0, 20)).toThrow('There is no column 20: the screen has columns 0 to 19.')
    expect(() => screen.cell(0.5, 0)).toThrow('There is no row 0.5')
  })
})

describe('styles', () => {
  test('of neighbouring cells that are equal form one run', async () => {
    const screen = await screenWith('ab\x1b[1;31m漢c\x1b[0;48;2;1;2;3m  \x1b[0m  ')
    expect(screen.row(0).runs()).toEqual([
      { text: 'ab', column: 0, width: 2, style: plain },
      { text: '漢c', column: 2, width: 3, style: { ...plain, foreground: '#cc0000', bold: true } },
      { text: '  ', column: 5, width: 2, style: { ...plain, background: '#010203' } },
    ])
  })

  test.each([
    ['1', { bold: true }],
    ['2', { dim: true }],
    ['3', { italic: true }],
    ['4', { underline: true }],
    ['4:3', { underline: true }],
    ['7', { reverse: true }],
    ['8', { invisible: true }],
    ['9', { struck: true }],
    ['97', { foreground: '#eeeeec' }],
    ['38;5;196', { foreground: '#ff0000' }],
    ['38;5;244', { foreground: '#808080' }],
    ['48;5;16', { background: '#000000' }],
    ['38;2;10;20;30', { foreground: '#0a141e' }],
  ])('of a cell follow SGR %s', async (code, style) => {
    const screen = await screenWith(`\x1b[${code}mx`)
    expect(screen.cell(0, 0)).toEqual({ character: 'x', codepoint: 0x78, width: 1, style: { ...plain, ...style } })
  })

  test('use the colours that the program has changed', async () => {
    const screen = await screenWith('\x1b]4;1;rgb:12/34/56\x07\x1b]11;#fff\x07\x1b[31mx')
    expect(screen.cell(0, 0).style.foreground).toBe('#123456')
    expect(screen.colours.background).toBe('#f0f0f0')
    await screen.feed(Buffer.from('\x1b]104;1\x07\x1b]111\x07'))
    expect(screen.cell(0, 0).style.foreground).toBe('#cc0000')
    expect(screen.colours.background).toBe('#000000')
  })

  test('include the link of linked text, without an underline', async () => {
    const screen = await screenWith('\x1b]8;id=1;https://a.example/;b\x07link\x1b]8;;\x07 text')
    expect(screen.row(0).runs()).toEqual([
      { text: 'link', column: 0, width: 4, style: { ...plain, link: 'https://a.example/;b' } },
      { text: ' text', column: 4, width: 5, style: plain },
    ])
  })

  test('give the second column of a wide character a cell of width 0', async () => {
    const screen = await screenWith('漢')
    expect(screen.cell(0, 0)).toMatchObject({ character: '漢', codepoint: 0x6f22, width: 2 })
    expect(screen.cell(0, 1)).toMatchObject({ character: '', codepoint: 0, width: 0 })
    expect(screen.cell(0, 2)).toMatchObject({ character: ' ', codepoint: 0x20, width: 1 })
  })
})

describe('the state of the program', () => {
  test('includes the position, character, shape and visibility of the cursor', async () => {
    const screen = await screenWith('abc\x1b[D\x1b[5 q\x1b[?25l')
    expect(screen.cursor()).toEqual({ row: 0, column: 2, character: 'c', isVisible: false, shape: 'bar' })
  })

  test('shows a cursor after the last column on the last column', async () => {
    const screen = await screenWith('x'.repeat(20))
    expect(screen.cursor()).toMatchObject({ row: 0, column: 19 })
  })

  test('includes the modes that the program has set', async () => {
    const screen = await screenWith('')
    const none = {
      alternateScreen: false,
      bracketedPaste: false,
      applicationCursor: false,
      applicationKeypad: false,
      mouse: 'none',
    }
    expect(screen.modes).toEqual(none)
    await screen.feed(Buffer.from('\x1b[?1;1002;2004h\x1b='))
    expect(screen.modes).toEqual({
      ...none,
      bracketedPaste: true,
      applicationCursor: true,
      applicationKeypad: true,
      mouse: 'drag',
    })
  })

  test('includes the title, and the earlier title after it is restored', async () => {
    const screen = await screenWith('\x1b]0;shell\x07\x1b[22;0t\x1b]2;editor ⠋\x1b\\')
    expect(screen.title).toBe('editor ⠋')
    await screen.feed(Buffer.from('\x1b[23;0t'))
    expect(screen.title).toBe('shell')
  })

  test('includes its directory, unless that is on another host', async () => {
    const screen = await screenWith('\x1b]7;file:///home/me/a%20b\x1b\\')
    expect(screen.workingDirectory).toBe('/home/me/a b')
    await screen.feed(Buffer.from('\x1b]7;file://far-away.example/home/you\x07'))
    expect(screen.workingDirectory).toBeUndefined()
    await screen.feed(Buffer.from('\x1b]7;file://localhost/100%/#1\x07'))
    expect(screen.workingDirectory).toBe('/100%/#1')
    await screen.feed(Buffer.from('\x1b]7;https://localhost/x\x07'))
    expect(screen.workingDirectory).toBeUndefined()
  })

  test('includes whether the shell is at its prompt', async () => {
    const screen = await screenWith('')
    const states = []
    for (const mark of ['A', 'B', 'C', 'D;1', 'L']) {
      await screen.feed(Buffer.from(`\x1b]133;${mark}\x07`))
      states.push(screen.shellState)
    }
    expect(states).toEqual(['prompt', 'prompt', 'running', 'prompt', 'prompt'])
    expect((await screenWith('no marks')).shellState).toBeUndefined()
  })
})

describe('the order of changes', () => {
  test('applies a resize between the output before it and after it', async () => {
    const screen = await screenWith('')
    void screen.feed(Buffer.alloc(5_000_000, 'x'))
    void screen.feed(Buffer.from('\x1b[H\x1b[J0123456789abcdefghij'))
    screen.resize({ cols: 10, rows: 4 })
    void screen.feed(Buffer.from('\x1b[H\x1b[J0123456789abc'))
    await screen.settled()
    expect(screen.text()).toBe('0123456789\nabc')
    expect(screen.size).toEqual({ cols: 10, rows: 4 })
  })

  test('resolves feed when its bytes are on the screen, even if more bytes wait', async () => {
    const screen = await screenWith('')
    const first = screen.feed(Buffer.alloc(2_000_000, 'a\r\n'))
    const second = screen.feed(Buffer.alloc(1_000_000, 'b\r\n'))
    await first
    expect(screen.offset).toBeGreaterThanOrEqual(2_000_000)
    await second
    expect(screen.offset).toBe(3_000_000)
    expect(screen.row(0).text).toBe('b')
  })

  test('skips lost bytes, and discards an incomplete sequence before them', async () => {
    const screen = await screenWith('before\x1b]0;never ended')
    screen.skipTo(1000)
    await screen.feed(Buffer.from(' after'))
    expect(screen.text()).toBe('before after')
    expect(screen.offset).toBe(1006)
    screen.skipTo(1000)
    expect(screen.offset).toBe(1006)
  })

  test('counts offsets from the given start', async () => {
    expect((await screenWith('abc', { offset: 5000 })).offset).toBe(5003)
  })

  test('resolves pending calls of a disposed screen', async () => {
    const screen = await screenWith('')
    const waiting = screen.feed(Buffer.alloc(50_000_000))
    screen[Symbol.dispose]()
    await waiting
    expect(screen.offset).toBeLessThan(50_000_000)
  })
})
