import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import type { Pattern } from '../../base/pattern.ts'
import { compilePattern } from '../../base/pattern.ts'
import type { SearchOptions, SearchResult } from './search.ts'
import { searchRows } from './search.ts'

const options = { maxResults: 50, timeLimitMs: 10_000 }

async function search(
  output: string,
  source: string,
  { cols = 20, ...limits }: Partial<SearchOptions> & { cols?: number } = {},
): Promise<SearchResult> {
  const screen = await screenWith(output, { size: { cols, rows: 2 } })
  const pattern = await compilePattern(source, { ignoreCase: true })
  return searchRows([...screen.scrollback(), ...screen.rows()], pattern, { ...options, ...limits })
}

test('a search finds the first match of each line, newest first, and ignores case', async () => {
  const { matches, stoppedBy } = await search('an Error, an error\r\nfine\r\nno ERROR', 'e[r]+or')
  expect(matches).toEqual([
    { row: 2, endRow: 2, text: 'no ERROR', startColumn: 3, endColumn: 8, start: 3, end: 8 },
    { row: 0, endRow: 0, text: 'an Error, an error', startColumn: 3, endColumn: 8, start: 3, end: 8 },
  ])
  expect(stoppedBy).toBeUndefined()
})

test('a match has screen columns and text indices', async () => {
  const { matches } = await search('漢😀e\u0301 found 漢', 'found 漢')
  const [match] = matches
  expect(match).toMatchObject({ startColumn: 6, endColumn: 14 })
  expect(match!.text.slice(match!.start, match!.end)).toBe('found 漢')
})

test('a match across wrapped rows is found, with its end', async () => {
  const { matches } = await search('0123456789 /a/path/to/a/file.txt:12 and more', '/a/path\\S*:\\d+', { cols: 16 })
  expect(matches).toEqual([
    {
      row: 0,
      endRow: 2,
      text: '0123456789 /a/path/to/a/file.txt:12 and more',
      startColumn: 11,
      endColumn: 3,
      start: 11,
      end: 35,
    },
  ])
})

test('the text of a match starts at the row of the match, not at the start of a long line', async () => {
  const { matches } = await search('0123456789abcdefghijXYZ', 'xyz', { cols: 10 })
  expect(matches).toEqual([{ row: 2, endRow: 2, text: 'XYZ', startColumn: 0, endColumn: 3, start: 0, end: 3 }])
})

test('a search stops at its result limit, and says so only if there are more', async () => {
  const output = 'x\r\n'.repeat(10)
  expect(await search(output, 'x', { maxResults: 3 })).toMatchObject({
    matches: [{ row: 9 }, { row: 8 }, { row: 7 }],
    stoppedBy: 'results',
  })
  expect((await search(output, 'x', { maxResults: 10 })).stoppedBy).toBeUndefined()
})

test('a search that runs out of time returns what it has found', async () => {
  expect(await search('x', 'x', { timeLimitMs: -1 })).toEqual({ matches: [], stoppedBy: 'time' })
})

test('an empty match does not count', async () => {
  expect((await search('aaa', 'b*')).matches).toEqual([])
})

test.each([
  ['(', 'missing closing )'],
  ['a(?=b)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'invalid escape sequence: `\\1`'],
  ['((a{100}){100}){100}', 'expands to 1000000 steps; at most 500'],
  ['x'.repeat(1001), 'The pattern has 1001 characters'],
])('the pattern %s is refused with the reason', async (source, reason) => {
  await expect(compilePattern(source, { ignoreCase: true })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(reason) as string,
  })
})

test('a pattern with exponential backtracking elsewhere is fast here', async () => {
  const pattern: Pattern = await compilePattern('^(a+)+$', { ignoreCase: true })
  expect(pattern.test(`${'a'.repeat(10_000)}!`)).toBe(false)
})

test('the emulator, the pattern engine and the canvas are loaded only when they are used', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    for (const file of ['terminal', 'screen/screen', 'screen/search', 'untrusted-pattern', 'urls', 'keys', 'screenshot/screenshot']) await import(${JSON.stringify(import.meta.dirname)} + '/../' + file + '.ts')
    console.log(JSON.stringify(loaded))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  const loaded = JSON.parse(output) as string[]
  expect(loaded.filter((url) => /xterm\/headless|re2js|napi-rs/.test(url))).toEqual([])
})

test('matches in lines that wrap over thousands of rows start at the right row', async () => {
  const output = Array.from({ length: 900 }, (_, index) => `number ${index} ${'x'.repeat(50)} end`).join('\r\n')
  const screen = await screenWith(output, { size: { cols: 20, rows: 2 }, scrollbackLines: 5_000 })
  const rows = [...screen.scrollback(), ...screen.rows()]
  const pattern = await compilePattern('number \\d+ x+ end', { ignoreCase: true })
  const { matches } = searchRows(rows, pattern, { ...options, maxResults: 1000 })
  expect(matches.map(({ text }) => Number(text.split(' ')[1]))).toEqual(
    Array.from({ length: 900 }, (_, index) => 899 - index),
  )
  for (const { row, text } of matches) expect(text.startsWith(rows[row]!.printedText)).toBe(true)
})
