import { expect, test } from 'vitest'
import { isPrinted } from './printed.ts'

const table = 'name  signalbox\nversion  …\n'

test('an ellipsis matches any text, but only within its line', () => {
  expect(isPrinted(table, 'name  signalbox\nversion  1.2.3\n')).toBe(true)
  expect(isPrinted(table, 'name  signalbox\nversion  1.2.3\nand more\n')).toBe(false)
  expect(isPrinted(table, 'name  other\nversion  1.2.3\n')).toBe(false)
})

test('a line that is only an ellipsis matches any number of lines', () => {
  const expected = 'first\n…\nlast\n'
  expect(isPrinted(expected, 'first\nlast\n')).toBe(true)
  expect(isPrinted(expected, 'first\na\nb\nlast\n')).toBe(true)
  expect(isPrinted(expected, 'first\na\nlast\nb\n')).toBe(false)
})

test('special characters of patterns match literally', () => {
  expect(isPrinted('(a.b) [c]* $1\n', '(a.b) [c]* $1\n')).toBe(true)
  expect(isPrinted('a.b\n', 'axb\n')).toBe(false)
})
