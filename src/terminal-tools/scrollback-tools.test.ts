import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

/** 200 lines on a screen of 10 rows: the last ones, and the line after them, are visible. */
async function openLines(command = 'seq 1 200') {
  const box = await openToolbox(`${command}; printf END; exec cat`, { rows: 10 })
  await box.call('wait_for', { for: 'text', value: 'END' })
  return box
}

test('read_scrollback starts at the newest line', async () => {
  const box = await openLines()
  const newest = { total_lines: 191, offset: 0, count: 3, lines: ['191', '190', '189'] }
  expect(await box.call('read_scrollback', { count: 3 })).toEqual(newest)
  const older = { total_lines: 191, offset: 3, count: 2, lines: ['188', '187'] }
  expect(await box.call('read_scrollback', { offset: 3, count: 2 })).toEqual(older)
  const usual = await box.call('read_scrollback')
  expect(usual).toMatchObject({ offset: 0, count: 100 })
  expect(usual.lines).toHaveLength(100)
})

test('offset and count are clamped to their limits', async () => {
  const box = await openLines()
  const read = (args: object) => box.call('read_scrollback', { ...args })
  expect(await read({ offset: -5, count: 0 })).toEqual({ total_lines: 191, offset: 0, count: 1, lines: ['191'] })
  expect(await read({ offset: 1_000 })).toEqual({ total_lines: 191, offset: 191, count: 0, lines: [] })
  expect(await read({ offset: 190, count: 5_000 })).toEqual({ total_lines: 191, offset: 190, count: 1, lines: ['1'] })
  const long = await openLines('seq 1 1500')
  expect((await long.call('read_scrollback', { count: 5_000 })).lines).toHaveLength(1_000)
})

test('a search ignores case, returns the first match of each line, newest first, and counts columns', async () => {
  const box = await openLines('echo "日本 Error error"; echo fine; echo "an ERROR"; seq 1 20')
  expect(await box.call('search_scrollback', { pattern: 'err[o]r' })).toEqual({
    pattern: 'err[o]r',
    total_lines: 14,
    match_count: 2,
    matches: [
      { line_index: 11, text: 'an ERROR', match_start: 3, match_end: 8 },
      { line_index: 13, text: '日本 Error error', match_start: 5, match_end: 10 },
    ],
  })
  const { lines } = await box.call('read_scrollback', { offset: 13, count: 1 })
  expect(lines).toEqual(['日本 Error error'])
})

test('a match in a wrapped line says where it ends', async () => {
  const box = await openToolbox('echo "aaaaaaaaNEEDLE"; seq 1 20; exec cat', { cols: 10, rows: 5 })
  await box.call('wait_for', { for: 'regex', value: '^20$' })
  const { matches, total_lines } = await box.call('search_scrollback', { pattern: 'needle' })
  expect(matches).toEqual([
    {
      line_index: total_lines - 1,
      end_line_index: total_lines - 2,
      text: 'aaaaaaaaNEEDLE',
      match_start: 8,
      match_end: 4,
    },
  ])
})

test('lines that are no longer in memory are read and searched too', async () => {
  const box = await openToolbox('echo FIRST; seq 1 1000; printf END; exec cat', { rows: 10, scrollbackLines: 20 })
  await box.call('wait_for', { for: 'text', value: 'END' })
  const total = 992
  expect(await box.call('read_scrollback', { offset: total - 2, count: 5 })).toEqual({
    total_lines: total,
    offset: total - 2,
    count: 2,
    lines: ['1', 'FIRST'],
  })
  expect(await box.call('search_scrollback', { pattern: '^first$' })).toMatchObject({
    total_lines: total,
    matches: [{ line_index: total - 1, text: 'FIRST', match_start: 0, match_end: 5 }],
  })
})

test('a search stops at its limit and says so', async () => {
  const box = await openLines()
  const found = await box.call('search_scrollback', { pattern: '1', max_results: 0 })
  expect(found).toMatchObject({ match_count: 1, stopped_by: 'results' })
  expect(await box.call('search_scrollback', { pattern: '^7$', max_results: 9_999 })).toMatchObject({
    match_count: 1,
    matches: [{ text: '7' }],
  })
})

test('a pattern that other engines never finish is fast, and an invalid pattern is explained', async () => {
  const box = await openLines(`printf 'a%.0s' $(seq 1 60); echo; seq 1 20`)
  expect(await box.call('search_scrollback', { pattern: '(a+)+$x' })).toMatchObject({ match_count: 0 })
  expect(await box.failure('search_scrollback', { pattern: '(' })).toContain('The pattern is not a regular expression')
  expect(await box.failure('search_scrollback', {})).toContain('"pattern"')
})

test('reading the scrollback is refused while its module is off, and the error says how to switch it on', async () => {
  const box = await openLines()
  await box.call('toggle_module', { name: 'scrollback', enabled: false })
  const sentence =
    'The scrollback module of this session is off. To switch it on, call toggle_module with name "scrollback" and enabled true.'
  expect(await box.failure('read_scrollback')).toBe(sentence)
  expect(await box.failure('search_scrollback', { pattern: 'x' })).toBe(sentence)
  await box.call('toggle_module', { name: 'scrollback', enabled: true })
  expect(await box.call('read_scrollback', { count: 1 })).toMatchObject({ lines: ['191'] })
})
