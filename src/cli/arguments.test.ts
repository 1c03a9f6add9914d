import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'
import { defineCommand } from './command.ts'

const command = defineCommand({
  about: '',
  flags: {
    label: { takes: 'LABEL', about: '' },
    lines: { takes: 'NUMBER', short: 'n', about: '' },
    follow: { short: 'f', about: '' },
  },
  words: { min: 0, max: 2 },
  examples: [],
  run: async () => 'ok',
})

test('a flag may be given again and again, and the last one counts where one is asked for', () => {
  const args = readArguments('x', command, ['--label', 'a', '--label=b'])
  expect(args.texts('label')).toEqual(['a', 'b'])
  expect(args.text('label')).toBe('b')
  expect(args.texts('lines')).toEqual([])
  expect(args.text('lines')).toBeUndefined()
})

test('a flag has a letter, alone or with its value behind it', () => {
  for (const argv of [['-f', '-n', '5'], ['-n5', '-f'], ['-fn5'], ['--follow', '--lines', '5']]) {
    const args = readArguments('x', command, argv)
    expect(args.has('follow')).toBe(true)
    expect(args.text('lines')).toBe('5')
  }
})

test('what stands behind -- is a word like others, unless it is a command line of its own', () => {
  const argv = ['one', '--', '--label', '-n']
  expect(() => readArguments('x', command, argv)).toThrow('does not know what to do with "-n"')
  expect(readArguments('x', command, argv.slice(0, -1))).toMatchObject({ words: ['one', '--label'], rest: [] })
  const args = readArguments('x', { ...command, takesRest: true }, argv)
  expect(args).toMatchObject({ words: ['one'], rest: ['--label', '-n'] })
  expect(args.has('label')).toBe(false)
})
