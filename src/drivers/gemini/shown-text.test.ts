import { expect, test } from 'vitest'
import { showsText } from './shown-text.ts'

const width = 40
const frame = (...rows: readonly string[]) => rows.map((row) => row.padEnd(width))

test.each([
  ['ls -la', frame('ls -la')],
  ['cat <<E\nhi\n\nE', frame('cat <<E', 'hi', '', 'E')],
  ['echo one two three four five six seven eight nine', frame('echo one two three four five six seven', 'eight nine')],
  ['echo one two three four five six seven eight nine', frame('echo one two three four five six seven', ' eight nine')],
  [`echo ${'x'.repeat(50)}`, frame(`echo ${'x'.repeat(35)}`, 'x'.repeat(15))],
])('%j is what the screen shows', (text, rows) => {
  expect(showsText(rows, text)).toBe(true)
})

test.each([
  ['ls # rm -rf x', frame('ls #', 'rm -rf x')],
  ['rm ab', frame('rm a b')],
  ['rm a b', frame('rm ab')],
  ['ls', frame('ls', 'rm x')],
  ['ls\nrm x', frame('ls')],
  ['echo a\\ \nrm x', frame('echo a\\', 'rm x')],
])('%j is not what the screen shows', (text, rows) => {
  expect(showsText(rows, text)).toBe(false)
})
