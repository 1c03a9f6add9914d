import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

test('read_screen returns lines of text, the cursor, and the offset to continue from', async () => {
  const box = await openToolbox(`printf 'one\\n  two'; exec cat`, { cols: 20, rows: 4 })
  await box.call('wait_for', { for: 'text', value: 'two' })
  expect(await box.call('read_screen')).toEqual({
    rows: 4,
    cols: 20,
    lines: ['one', '  two', '', ''],
    cursor: { row: 1, col: 5, visible: true },
    offset: 10,
  })
})

test('attributes come as runs, and wide characters count as two columns', async () => {
  const box = await openToolbox(`printf '日本 \\033[1;38;2;255;0;0mred\\033[0m é!'; exec cat`, {
    cols: 20,
    rows: 2,
  })
  await box.call('wait_for', { for: 'text', value: 'é!' })
  const { lines } = await box.call<{ lines: object[] }>('read_screen', { include_attributes: true })
  expect(lines[0]).toEqual({
    text: '日本 red é!',
    runs: [
      { text: '日本 ', col: 0, width: 5, fg: 'default', bg: 'default' },
      { text: 'red', col: 5, width: 3, fg: '#ff0000', bg: 'default', bold: true },
      { text: ' é!', col: 8, width: 3, fg: 'default', bg: 'default' },
    ],
  })
})

test('attributes come cell by cell on request, with one cell for each column', async () => {
  const box = await openToolbox(`printf '日\\033[7mx'; exec cat`, { cols: 4, rows: 1 })
  await box.call('wait_for', { for: 'text', value: 'x' })
  const { lines } = await box.call<{ lines: [{ text: string; cells: { char: string }[] }] }>('read_screen', {
    cells: true,
  })
  const [{ text, cells }] = lines
  expect(text).toBe('日x')
  expect(cells.map(({ char }) => char)).toEqual(['日', '', 'x', ' '])
  expect(cells[2]).toEqual({
    char: 'x',
    fg: 'default',
    bg: 'default',
    bold: false,
    italic: false,
    underline: false,
    reverse: true,
  })
})

test('get_cursor_position returns the position, the character, the shape and the visibility', async () => {
  const box = await openToolbox(`printf 'abc\\033[1;2H\\033[5 q\\033[?25l'; exec cat`)
  await box.until(() => !box.terminal.screen.cursor().isVisible)
  expect(await box.call('get_cursor_position')).toEqual({
    row: 0,
    col: 1,
    character: 'b',
    visible: false,
    shape: 'bar',
  })
})

test('get_cell_attributes returns the character, colours and styles', async () => {
  const box = await openToolbox(`printf '\\033[3;4;9;31m漢\\033[0m.'; exec cat`)
  await box.call('wait_for', { for: 'text', value: '.' })
  expect(await box.call('get_cell_attributes', { row: 0, col: 0 })).toEqual({
    row: 0,
    col: 0,
    character: '漢',
    codepoint: 0x6f22,
    fg: expect.stringMatching(/^#[0-9a-f]{6}$/),
    bg: 'default',
    bold: false,
    italic: true,
    underline: true,
    reverse: false,
    struck: true,
    invisible: false,
    wide: true,
  })
  expect(await box.call('get_cell_attributes', { row: 0, col: 1 })).toMatchObject({ character: '', wide: false })
})

test('a cell outside the screen is an error that names the limits', async () => {
  const box = await openToolbox('exec cat')
  const outside = [
    [{ row: 24, col: 0 }, 'There is no row 24: the screen has rows 0 to 23.'],
    [{ row: -1, col: 0 }, 'There is no row -1'],
    [{ row: 0, col: 80 }, 'There is no column 80: the screen has columns 0 to 79.'],
  ] as const
  for (const [place, sentence] of outside) {
    expect(await box.failure('get_cell_attributes', place)).toContain(sentence)
  }
})

test('the last screen can be read after the program has ended', async () => {
  const box = await openToolbox('printf bye')
  await box.call('wait_for', { for: 'exit' })
  expect((await box.call('read_screen')).lines[0]).toBe('bye')
})
