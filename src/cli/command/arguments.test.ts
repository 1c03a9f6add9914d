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

test('returns all values of a repeated flag, or the last one', () => {
  const args = readArguments('x', command, ['--label', 'a', '--label=b'])
  expect(args.texts('label')).toEqual(['a', 'b'])
  expect(args.text('label')).toBe('b')
  expect(args.texts('lines')).toEqual([])
  expect(args.text('lines')).toBeUndefined()
})

test('reads a short flag, with its value attached or separate', () => {
  for (const argv of [['-f', '-n', '5'], ['-n5', '-f'], ['-fn5'], ['--follow', '--lines', '5']]) {
    const args = readArguments('x', command, argv)
    expect(args.has('follow')).toBe(true)
    expect(args.text('lines')).toBe('5')
  }
})

test('treats words after -- like others, unless the command takes a command line there', () => {
  const argv = ['one', '--', '--label', '-n']
  expect(() => readArguments('x', command, argv)).toThrow('takes no argument "-n"')
  expect(readArguments('x', command, argv.slice(0, -1))).toMatchObject({ words: ['one', '--label'], rest: [] })
  const args = readArguments('x', { ...command, takesRest: true }, argv)
  expect(args).toMatchObject({ words: ['one'], rest: ['--label', '-n'] })
  expect(args.has('label')).toBe(false)
})
