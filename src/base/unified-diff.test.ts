import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from './unified-diff.ts'

const names = { before: 'a', after: 'b' }

test('shows a change with the lines around it', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9', ''].join('\n')
  const after = before.replace('5\n', 'five\n')
  expect(unifiedDiff(before, after, names)).toBe(
    ['--- a', '+++ b', '@@ -2,7 +2,7 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'].join('\n'),
  )
})

test('is empty if nothing changed', () => {
  expect(unifiedDiff('a\n', 'a\n', names)).toBe('')
})

test('compares texts with little in common in reasonable time', () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('')
  expect(unifiedDiff(lines('one'), lines('other'), names).split('\n')).toHaveLength(40_003)
})

test('turns the old text into the new one when it is applied', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  const text = letters.map((lines) => lines.map((line) => `${line}\n`).join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const shown = unifiedDiff(before, after, names)
      return shown === '' ? before === after : apply(before, shown) === after
    }),
  )
})

/** Uses the line numbers of the hunks, so that wrong ones fail the test. */
function apply(before: string, shown: string): string {
  const old = before.split('\n').slice(0, -1)
  const made: string[] = []
  let at = 0
  for (const line of shown.split('\n').slice(2)) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line)
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1)
      made.push(...old.slice(at, start))
      at = start
      expect(made.length).toBe(Number(hunk[3]) - (hunk[4] === '0' ? 0 : 1))
    } else if (line.startsWith('+')) {
      made.push(line.slice(1))
    } else {
      expect(old[at]).toBe(line.slice(1))
      if (line.startsWith(' ')) made.push(line.slice(1))
      at++
    }
  }
  return [...made, ...old.slice(at)].map((line) => `${line}\n`).join('')
}
