import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { toShellLine } from './shell-line.ts'

test('one word is a line for the shell already', () => {
  expect(toShellLine(['ls | wc -l'])).toBe('ls | wc -l')
})

test('several words reach a program through the shell as they are', () => {
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
