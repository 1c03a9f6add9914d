import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { toShellLine } from './shell-line.ts'

test('takes one word as a shell line', () => {
  expect(toShellLine(['ls | wc -l'])).toBe('ls | wc -l')
})

test('quotes several words so that they reach a program unchanged', () => {
  const words = ['a b', "it's", '$HOME', '*', '', '"', '\\', 'plain-1.2', 'new\nline', '漢字', '!']
  const program = 'for (const word of process.argv.slice(1)) console.log(JSON.stringify(word))'
  const line = toShellLine([process.execPath, '-e', program, '--', ...words])
  const printed = execFileSync('sh', ['-c', line], { encoding: 'utf8' })
  expect(
    printed
      .trim()
      .split('\n')
      .map((each): unknown => JSON.parse(each)),
  ).toEqual(words)
})
