import fc from 'fast-check'
import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { createScreen } from '../screen/screen.ts'

test('erasing up to the last cell erases the whole screen', async () => {
  const screen = await screenWith('a\r\nb\r\nc\r\nd\x1b[4;20H*\x1b[1J')
  expect(screen.text()).toBe('')
  expect(screen.cursor()).toMatchObject({ row: 3, column: 19 })
})

test('a selective erase spares protected cells only', async () => {
  const screen = await screenWith('a\r\n\x1b[1"qb\x1b[0"q\x1b[4;20H*\x1b[?1J')
  expect(screen.text()).toBe('\nb')
})

// Without a guard, the first of these takes minutes and gigabytes, the others minutes.
test.each(['b', 'L', 'M', 'S', 'T', 'I', 'Z'])(
  'a sequence with a huge count (CSI %s) returns at once',
  async (final) => {
    const screen = await screenWith(`x\x1b[2147483647${final}\x1b[H\x1b[Jok`)
    expect(screen.text()).toBe('ok')
  },
)

test('a huge repeat count fills the screen', async () => {
  const screen = await screenWith('x\x1b[2147483647b')
  expect(screen.text().split('\n').slice(0, 3)).toEqual(Array(3).fill('x'.repeat(20)))
})

test('a character with many marks is repeated less often, and so is one that moves others', async () => {
  const marks = 20
  const marked = await screenWith(`e${'\u0301'.repeat(marks)}\x1b[2147483647b`, { size: { cols: 20, rows: 21 } })
  expect(marked.text().replaceAll(/[^e]/g, '')).toHaveLength(1 + 20)
  const inserting = await screenWith('\x1b[4hx\x1b[2147483647b')
  expect(inserting.text().replaceAll('\n', '')).toBe('x'.repeat(1 + 20))
})

test('a huge cursor move stops at the last column', async () => {
  const screen = await screenWith('\x1b[1000000C>\x1b[1000000;1000000H!\x1b[1000000D<')
  expect(screen.text().split('\n')).toEqual([`${' '.repeat(19)}>`, '', '', `<${' '.repeat(18)}!`])
})

test('endless combining marks neither grow one cell nor get lost', async () => {
  const screen = await screenWith(`e${'\u0301'.repeat(1000)}`)
  const rows = [...screen.scrollback(), ...screen.rows()]
  expect(rows[0]!.columnOf(21)).toBe(1)
  const all = rows.map(({ text }) => text).join('')
  expect(all).toBe(`e${'\u0301'.repeat(1000)}`)
})

test('links that are overwritten are dropped, and links on the screen are kept', async () => {
  const link = (url: string) => `\x1b]8;;${url}\x07link\x1b]8;;\x07`
  const screen = await screenWith(`${link('https://kept.example')}\r\n`)
  for (let number = 0; number < 5; number++) {
    const urls = Array.from({ length: 500 }, (_, index) => `https://a.example/${'x'.repeat(2000)}/${number}/${index}`)
    await screen.feed(Buffer.from(urls.map((url) => `\r${link(url)}`).join('')))
  }
  expect(screen.cell(0, 0).style.link).toBe('https://kept.example')
  expect(screen.cell(1, 0).style.link).toMatch(/\/4\/499$/)
})

test('a long title is cut', async () => {
  const screen = await screenWith(`\x1b]0;${'t'.repeat(10_000)}\x07`)
  expect(screen.title).toBe('t'.repeat(1000))
})

test('the answers to a program that asks without end are limited', async () => {
  let answered = 0
  const screen = await screenWith('', { onAnswer: (bytes) => void (answered += bytes.length) })
  await screen.feed(Buffer.from('\x1b[c'.repeat(300_000)))
  expect(answered).toBeGreaterThan(0)
  expect(answered).toBeLessThan(1_000_000)
})

test('NULs and invalid bytes are ignored', async () => {
  const screen = await screenWith(Buffer.from([0, 0, 0x61, 0xff, 0xfe, 0, 0x62, 0xc3, 0x28, 0x63]))
  expect(screen.text()).toBe('ab(c')
})

test('characters keep their combining marks when lines are rewrapped', async () => {
  const text = 'y\u0300zwi\u0300sy\u0300qweca\u0300c\u0301s'
  const screen = await screenWith(`${text}\r\n`, { size: { cols: 7, rows: 4 } })
  screen.resize({ cols: 6, rows: 4 })
  await screen.settled()
  expect(screen.rows().map((row) => row.text)).toEqual(['y\u0300zwi\u0300sy\u0300', 'qweca\u0300c\u0301', 's', ''])
})

test('rewrapping without scrollback never leaves the screen without lines', async () => {
  const screen = await screenWith('\x1b#8', { size: { cols: 33, rows: 11 }, scrollbackLines: 0 })
  screen.resize({ cols: 26, rows: 2 })
  screen.resize({ cols: 41, rows: 3 })
  await screen.feed(Buffer.from('\x1b[3;1H\x1b[2Kok'))
  expect(screen.row(2).text).toBe('ok')
})

test('a narrower alternate screen drops the cells beyond its edge', async () => {
  const screen = await screenWith('\x1b[?1049h\x1b[H0123456789漢tail')
  screen.resize({ cols: 11, rows: 4 })
  screen.resize({ cols: 20, rows: 4 })
  await screen.settled()
  expect(screen.text()).toBe('0123456789')
})

test('lines that scroll off an alternate screen are dropped after every resize', async () => {
  const screen = await screenWith('')
  screen.resize({ cols: 20, rows: 9 })
  screen.resize({ cols: 20, rows: 2 })
  await screen.feed(Buffer.from('\x1b[?1049h\x1b[H1\r\n2\r\n3\r\n4'))
  screen.resize({ cols: 20, rows: 9 })
  await screen.settled()
  expect(screen.text()).toBe('3\n4')
})

/** Arbitrary bytes, with many complete and broken sequences. */
const hostileOutput = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(
          fc.constantFrom('', '?', '>', '=', '!'),
          fc.array(fc.constantFrom('', '0', '1', '3', '24', '80', '1000000', '2147483647', '99999999999', '4:3'), {
            maxLength: 4,
          }),
          fc.constantFrom('', ' ', '$', '"', "'"),
          fc.integer({ min: 0x40, max: 0x7e }),
        )
        .map(([prefix, numbers, middle, final]) =>
          Buffer.from(`\x1b[${prefix}${numbers.join(';')}${middle}${String.fromCharCode(final)}`),
        ),
      fc
        .tuple(fc.nat(200), fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('\x07', '\x1b\\', ''))
        .map(([number, data, end]) => Buffer.from(`\x1b]${number};${data}${end}`)),
      fc
        .tuple(fc.constantFrom('', '#', '(', ')', '%'), fc.integer({ min: 0x30, max: 0x7e }))
        .map(([middle, final]) => Buffer.from(`\x1b${middle}${String.fromCharCode(final)}`)),
      fc
        .constantFrom('漢字', '😀', '\u0301', 'a long enough text to wrap', '\r\n', '\t')
        .map((text) => Buffer.from(text)),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => Buffer.concat(pieces))

test('no output makes the emulator throw', async () => {
  await fc.assert(
    fc.asyncProperty(
      hostileOutput,
      fc.array(fc.tuple(fc.nat(40), fc.nat(20)), { maxLength: 3 }),
      hostileOutput,
      async (first, sizes, then) => {
        const faults: Error[] = []
        using screen = createScreen({
          size: { cols: 10, rows: 3 },
          scrollbackLines: 5,
          onAnswer: () => {},
          onFault: (fault) => void faults.push(fault),
        })
        void screen.feed(first)
        for (const [cols, rows] of sizes) screen.resize({ cols: cols + 2, rows: rows + 1 })
        await screen.feed(then)
        expect(faults).toEqual([])
        for (const row of [...screen.scrollback(), ...screen.rows()])
          expect(row.runs().length).toBeLessThanOrEqual(screen.size.cols)
        screen.cursor()
        screen.snapshot()
      },
    ),
    { numRuns: 100 },
  )
})

test.each([
  ['a title', '\x1b]2;', '\x07'],
  ['a directory', '\x1b]7;file:///', '\x1b\\'],
])('the text of %s is not collected without end', async (_, begin, end) => {
  const screen = await screenWith(`${begin}${'t'.repeat(2_000_000)}${end}shown`)
  expect(screen.title).toBe('')
  expect(screen.workingDirectory).toBeUndefined()
  expect(screen.text()).toBe('shown')
  await screen.feed(Buffer.from('\x1b]2;short\x07'))
  expect(screen.title).toBe('short')
})

test('a screen with a long link in every cell has no snapshot, and has one again later', async () => {
  const links = ['a', 'b'].map((name) => `\x1b]8;;https://${name}.example/${'x'.repeat(2_000)}\x07x`)
  const screen = await screenWith(links.join('').repeat(2_400), { size: { cols: 200, rows: 60 } })
  expect(screen.snapshot()).toBeUndefined()
  await screen.feed(Buffer.from('\x1b]8;;\x07\x1bc'))
  expect(screen.snapshot()).toBeDefined()
})
