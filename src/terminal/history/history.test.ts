import { expect, test } from 'vitest'
import { shellLine } from '../../../test/worlds/held-program.ts'
import { testTerminals, untilShown } from '../../../test/worlds/terminals.ts'
import { until } from '../../../test/fixtures/until.ts'

const options = { maxResults: 50, timeLimitMs: 10_000, ignoreCase: true }

test('lines that are all in memory are read and searched without the journal', async () => {
  const terminal = await testTerminals().start('t', shellLine('seq 1 100; read line'))
  await untilShown(terminal, '100')
  const history = await terminal.history()
  expect(history.total).toBe(77)
  expect(await history.lines(0, 2)).toEqual([
    { text: '1', isWrapped: false },
    { text: '2', isWrapped: false },
  ])
  const { matches } = await history.search('^7.$', options)
  expect(matches.map(({ row, text }) => [row, text])).toEqual(
    [76, 75, 74, 73, 72, 71, 70, 69].map((row) => [row, `${row + 1}`]),
  )
})

test('a search of lines in memory does not block the event loop', async () => {
  const terminal = await testTerminals().start('t', shellLine('seq 1 1000; read line'))
  await untilShown(terminal, '1000')
  const history = await terminal.history()
  await history.search('x', options)
  let turns = 0
  const turn = () => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  // The answer to one search may arrive in the same turn. A search that blocks the loop leaves no turn to any.
  for (let searches = 0; searches < 1_000 && turns === 0; searches++) await history.search('x', options)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(0)
})

test('older lines are read from the journal, and later lines are included', async () => {
  const terminals = testTerminals({ scrollbackLines: 100, journal: { segmentBytes: 64 * 1024, maxBytes: 1024 * 1024 } })
  const program = shellLine(
    'stty -echo; seq 1 10000; printf "é漢 wide: needle %0100d\\n" 5; seq 10001 10040; read line; seq 10041 20000; read line',
  )
  const terminal = await terminals.start('t', program)
  await untilShown(terminal, '10040')
  expect(terminal.screen.scrollbackLength).toBe(100)

  const history = await terminal.history()
  expect(history.total).toBe(10_000 + 2 + 40 - 23)
  expect((await history.lines(9_998, 4)).map(({ text, isWrapped }) => [text.slice(0, 8), isWrapped])).toEqual([
    ['9999', false],
    ['10000', false],
    ['é漢 wide:', false],
    ['0'.repeat(8), true],
  ])
  const { matches } = await history.search('NEEDLE 0+5', options)
  expect(matches).toMatchObject([{ row: 10_000, endRow: 10_001, startColumn: 10 }])
  const [match] = matches
  expect(match!.text.slice(match!.start, match!.end)).toBe(`needle ${'0'.repeat(99)}5`)

  terminal.write(Buffer.from('\r'))
  await untilShown(terminal, '20000')
  const later = await terminal.history()
  expect(later.total).toBe(20_002 - 23)
  expect(await later.lines(later.total - 1, 10)).toEqual([{ text: '19977', isWrapped: false }])
  expect(await later.lines(0, 1)).toEqual([{ text: '1', isWrapped: false }])
})

test('a hub that adopts a terminal knows that it has older lines', async () => {
  const terminals = testTerminals({ scrollbackLines: 10 })
  const first = await terminals.start('t', shellLine('seq 1 1000; read line'))
  await untilShown(first, '1000')
  first.release()
  const second = await terminals.adopt('t')
  expect((await second.history()).total).toBe(1000 - 23)
})

test('lines that the program has cleared are gone', async () => {
  const terminals = testTerminals({ scrollbackLines: 10 })
  const terminal = await terminals.start(
    't',
    shellLine('seq 1 1000; printf "\\033[3J\\033[2J"; seq 1 100; echo end; read line'),
  )
  await untilShown(terminal, 'end')
  const history = await terminal.history()
  expect(await history.lines(0, 1)).not.toEqual([])
  expect((await history.search('^999$', options)).matches).toEqual([])
})

test('a resize loses no line', async () => {
  const terminals = testTerminals({ scrollbackLines: 50 })
  const terminal = await terminals.start('t', shellLine('stty -echo; seq 1 1000; read line; seq 1001 2000; read line'))
  await untilShown(terminal, '1000')
  terminal.resize({ cols: 20, rows: 40 })
  await until(() => terminal.size.cols === 20)
  terminal.write(Buffer.from('\r'))
  await untilShown(terminal, '2000')
  const history = await terminal.history()
  const texts = (await history.lines(0, history.total)).map(({ text }) => text)
  expect(texts.slice(0, 1500)).toEqual(Array.from({ length: 1500 }, (_, index) => `${index + 1}`))
})

test('an invalid pattern is rejected', async () => {
  const terminals = testTerminals({ scrollbackLines: 10 })
  const terminal = await terminals.start('t', shellLine('seq 1 100; read line'))
  await untilShown(terminal, '100')
  const history = await terminal.history()
  await expect(history.search('(', options)).rejects.toMatchObject({ code: 'invalid' })
})
