import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { templateSchema } from '../api/template.ts'
import { chooseCommand, findProgram, isOfTemplate, toLaunch } from './program.ts'

const template = templateSchema.parse({ name: 'own', command: 'agent', args: ['--quiet', '{workspace}'] })

test('a command of one’s own drops the template’s arguments, arguments of one’s own replace them', () => {
  expect(chooseCommand(template, {})).toEqual({ command: 'agent', args: ['--quiet', '{workspace}'] })
  expect(chooseCommand(template, { command: 'ls' })).toEqual({ command: 'ls', args: undefined })
  expect(chooseCommand(template, { args: ['-v'] })).toEqual({ command: 'agent', args: ['-v'] })
})

test('only a line that is the template’s own is its own', () => {
  expect(isOfTemplate(chooseCommand(template, {}), template)).toBe(true)
  expect(isOfTemplate(chooseCommand(template, { args: ['{workspace}'] }), template)).toBe(false)
  expect(isOfTemplate(chooseCommand(template, { command: 'agent' }), template)).toBe(false)
})

test.each([
  ['a line for the shell', { command: 'a | b', args: undefined }, ['/bin/zsh', '-c', 'a | b']],
  ['a program', { command: 'a', args: ['| b'] }, ['a', '| b']],
  ['nothing is a login shell', { command: '', args: undefined }, ['/bin/zsh', '-l']],
  ['arguments alone are the shell’s', { command: '', args: ['-i'] }, ['/bin/zsh', '-i']],
])('%s', (_, line, [file, ...args]) => {
  expect(toLaunch(line, [], { SHELL: '/bin/zsh' })).toEqual({ file, args })
  expect(toLaunch(line, ['nice', '-n', '5'], { SHELL: '/bin/zsh' })).toEqual({
    file: 'nice',
    args: ['-n', '5', file, ...args],
  })
})

test('without a SHELL it is the one of the account', () => {
  const shell = userInfo().shell ?? '/bin/sh'
  expect(toLaunch({ command: 'a', args: undefined }, [], { SHELL: '' }).file).toBe(shell)
})

test('a program is found as a shell would find it', () => {
  const here = temporaryDirectory()
  const place = (name: string, mode: number) => {
    writeFileSync(join(here, name), '#!/bin/sh\n')
    chmodSync(join(here, name), mode)
  }
  place('tool', 0o755)
  place('notes', 0o644)
  mkdirSync(join(here, 'folder'))
  expect(findProgram('tool', `/no/such:${here}`, '/')).toBe(join(here, 'tool'))
  expect(findProgram('./tool', '', here)).toBe(join(here, 'tool'))
  expect(findProgram(join(here, 'tool'), '', '/')).toBe(join(here, 'tool'))
  for (const name of ['notes', 'folder', 'nothing']) {
    expect(() => findProgram(name, here, here)).toThrow(/not installed, or not on the hub's PATH/)
    expect(() => findProgram(`./${name}`, here, here)).toThrow(`there is no program at ${join(here, name)}`)
  }
})
