import { expect, test } from 'vitest'
import { screenWith } from '../../test/fixtures/screen-with.ts'
import { compileUntrustedPattern } from './untrusted-pattern.ts'
import { findUrls } from './urls.ts'

async function urlsIn(output: string, cols = 60): Promise<readonly string[]> {
  const screen = await screenWith(output, { size: { cols, rows: 8 } })
  return (await findUrls(screen.rows())).map(({ url }) => url)
}

test.each([
  ['see https://a.example/b.', 'https://a.example/b'],
  ['(https://a.example/b)', 'https://a.example/b'],
  ['https://en.wikipedia.org/wiki/Box_(disambiguation)', 'https://en.wikipedia.org/wiki/Box_(disambiguation)'],
  ['(see https://en.wikipedia.org/wiki/Box_(disambiguation)).', 'https://en.wikipedia.org/wiki/Box_(disambiguation)'],
  ['[text](https://a.example/b?c=d&e=f#g), and', 'https://a.example/b?c=d&e=f#g'],
  ['"https://a.example/b"', 'https://a.example/b'],
  ['<https://a.example/b>', 'https://a.example/b'],
  ['**https://a.example/b**', 'https://a.example/b'],
  ['│https://a.example/b│', 'https://a.example/b'],
  ['见https://a.example/路径。然后', 'https://a.example/路径'],
  ['HTTP://LOCALHOST:3000/!', 'HTTP://LOCALHOST:3000/'],
  ['ftp://a.example/x;', 'ftp://a.example/x'],
  ['file:///etc/hosts:', 'file:///etc/hosts'],
])('finds the URL in "%s"', async (text, url) => {
  expect(await urlsIn(text)).toEqual([url])
})

test.each(['no address', 'mailto:me@a.example', 'xhttps://', 'https://'])('finds no URL in "%s"', async (text) => {
  expect(await urlsIn(text)).toEqual([])
})

test('positions are columns, also after wide characters', async () => {
  const screen = await screenWith('漢字 https://a.b/c d', { size: { cols: 30, rows: 2 } })
  expect(await findUrls(screen.rows())).toEqual([
    { url: 'https://a.b/c', row: 0, startColumn: 5, endRow: 0, endColumn: 18 },
  ])
})

test('a wrapped URL is one URL', async () => {
  const screen = await screenWith('go: https://a.example/a-very-long-path/to?x=1 ok', { size: { cols: 15, rows: 8 } })
  expect(await findUrls(screen.rows())).toEqual([
    { url: 'https://a.example/a-very-long-path/to?x=1', row: 0, startColumn: 4, endRow: 2, endColumn: 15 },
  ])
})

test('a blank at the end of a row separates two wrapped words', async () => {
  expect(await urlsIn('https://a.example/x next', 20)).toEqual(['https://a.example/x'])
})

test('a full line that is not wrapped does not continue in the next row', async () => {
  expect(await urlsIn('https://a.example/xy\r\nnext', 20)).toEqual(['https://a.example/xy'])
})

test('links attached to text are found, also across rows', async () => {
  const screen = await screenWith('12345678\x1b]8;;https://a.example/\x07li\x1b[1mnk\x1b[0m\x1b]8;;\x07', {
    size: { cols: 10, rows: 2 },
  })
  expect(await findUrls(screen.rows())).toEqual([
    { url: 'https://a.example/', row: 0, startColumn: 8, endRow: 1, endColumn: 2 },
  ])
})

test('a URL that links to itself is found once, and one that links elsewhere gives both URLs', async () => {
  const link = (to: string, text: string) => `\x1b]8;;${to}\x07${text}\x1b]8;;\x07`
  expect(await urlsIn(link('https://a.example', 'https://a.example'))).toEqual(['https://a.example'])
  const urls = await urlsIn(link('https://evil.example', 'https://a.example'))
  expect(urls.toSorted()).toEqual(['https://a.example', 'https://evil.example'])
})

test('a given pattern replaces the default, and its matches are not trimmed', async () => {
  const screen = await screenWith('JIRA-12. https://a.example \x1b]8;;jira://JIRA-7\x07x\x1b]8;;\x07', {
    size: { cols: 40, rows: 2 },
  })
  const pattern = await compileUntrustedPattern('JIRA-\\d+\\.?')
  expect((await findUrls(screen.rows(), pattern)).map(({ url }) => url)).toEqual(['JIRA-12.', 'jira://JIRA-7'])
})

test('the result shows the screen at the time of the call, even if it changes meanwhile', async () => {
  const screen = await screenWith('see JIRA-12 now', { size: { cols: 40, rows: 2 } })
  const finding = findUrls(screen.rows(), await compileUntrustedPattern('JIRA-\\d+'))
  await screen.feed(Buffer.from('\r\nother\r\nlines\r\n'))
  expect(await finding).toEqual([{ url: 'JIRA-12', row: 0, startColumn: 4, endRow: 0, endColumn: 11 }])
})

test('a screen full of brackets does not block the hub', async () => {
  const screen = await screenWith(`https://a.example/${')'.repeat(15_000)}`, { size: { cols: 100, rows: 200 } })
  expect((await findUrls(screen.rows())).map(({ url }) => url)).toEqual(['https://a.example/'])
})
