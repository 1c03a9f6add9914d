import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { templateSchema } from '../api/template.ts'
import { chooseCommand, isOfTemplate, toLaunch } from './program.ts'

const template = templateSchema.parse({ name: 'own', command: 'agent', args: ['--quiet', '{workspace}'] })

test('a custom command drops the template’s arguments, and custom arguments replace them', () => {
  expect(chooseCommand(template, {})).toEqual({ command: 'agent', args: ['--quiet', '{workspace}'] })
  expect(chooseCommand(template, { command: 'ls' })).toEqual({ command: 'ls', args: undefined })
  expect(chooseCommand(template, { args: ['-v'] })).toEqual({ command: 'agent', args: ['-v'] })
})

test('only the unchanged command line of a template counts as the template’s own', () => {
  expect(isOfTemplate(chooseCommand(template, {}), template)).toBe(true)
  expect(isOfTemplate(chooseCommand(template, { args: ['{workspace}'] }), template)).toBe(false)
  expect(isOfTemplate(chooseCommand(template, { command: 'agent' }), template)).toBe(false)
})

test.each([
  ['a command without arguments is a shell line', { command: 'a | b', args: undefined }, ['/bin/zsh', '-c', 'a | b']],
  ['a command with arguments is a program', { command: 'a', args: ['| b'] }, ['a', '| b']],
  ['no command is a login shell', { command: '', args: undefined }, ['/bin/zsh', '-l']],
  ['arguments without a command go to the shell', { command: '', args: ['-i'] }, ['/bin/zsh', '-i']],
])('%s', (_, line, [file, ...args]) => {
  expect(toLaunch(line, [], { SHELL: '/bin/zsh' })).toEqual({ file, args })
  expect(toLaunch(line, ['nice', '-n', '5'], { SHELL: '/bin/zsh' })).toEqual({
    file: 'nice',
    args: ['-n', '5', file, ...args],
  })
})

test('without SHELL, the shell of the account is used', () => {
  const shell = userInfo().shell ?? '/bin/sh'
  expect(toLaunch({ command: 'a', args: undefined }, [], { SHELL: '' }).file).toBe(shell)
})
