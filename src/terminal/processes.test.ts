import { realpathSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { ProgramSpec } from './terminal.ts'

function shellIn(cwd: string): ProgramSpec {
  const env = { PATH: '/usr/bin:/bin', PS1: 'prompt> ', HOME: cwd }
  return { file: '/bin/bash', args: ['--norc', '--noprofile', '-i'], cwd, env, cols: 80, rows: 24 }
}

test('the foreground process is the shell at its prompt, or the command it runs', async () => {
  const directory = realpathSync(temporaryDirectory())
  const terminal = await testTerminals().start('t', shellIn(directory))
  await untilShown(terminal, 'prompt>')
  const { status } = terminal
  const pid = status.is === 'running' ? status.pid : 0
  expect(await terminal.foreground()).toEqual({ pid, command: 'bash', cmdline: '/bin/bash --norc --noprofile -i' })
  expect(await terminal.isIdle()).toBe(true)
  expect(await terminal.workingDirectory()).toBe(directory)

  terminal.write(Buffer.from('cd /usr; sleep 1000\r'))
  const sleeping = await until(async () => {
    const found = await terminal.foreground()
    return found?.command === 'sleep' && found
  })
  expect(sleeping.cmdline).toBe('sleep 1000')
  expect(sleeping.pid).not.toBe(pid)
  expect(await terminal.isIdle()).toBe(false)
  expect(await terminal.workingDirectory()).toBe('/usr')

  terminal.write(Buffer.from('\x03'))
  await until(() => terminal.isIdle())
  terminal.write(Buffer.from('exit\r'))
  await untilEnded(terminal)
  expect(await terminal.foreground()).toBeUndefined()
  expect(await terminal.workingDirectory()).toBeUndefined()
  expect(await terminal.isIdle()).toBe(false)
})

test('a pipeline whose first program has ended is described by a running one', async () => {
  const terminal = await testTerminals().start('t', shellIn('/'))
  await untilShown(terminal, 'prompt>')
  terminal.write(Buffer.from('true | sleep 1000\r'))
  await until(async () => (await terminal.foreground())?.cmdline === 'sleep 1000')
})

test('a shell that marks its prompts decides itself whether it is idle', async () => {
  const terminal = await testTerminals().start('t', shellIn('/'))
  await untilShown(terminal, 'prompt>')
  terminal.write(Buffer.from("printf '\\033]133;C\\007\\033]7;file:///usr/share\\007marked\\n'\r"))
  await untilShown(terminal, '\nmarked')
  expect(await terminal.isIdle()).toBe(false)
  expect(await terminal.workingDirectory()).toBe('/usr/share')
  terminal.write(Buffer.from("printf '\\033]133;A\\007again\\n'\r"))
  await untilShown(terminal, '\nagain')
  expect(await terminal.isIdle()).toBe(true)
})

test.each([
  ['a program', { file: '/bin/sleep', args: ['1000'] }],
  ['a shell command line', { file: '/bin/bash', args: ['-c', 'while :; do echo busy; sleep 0.1; done'] }],
])('%s is not idle, although it is in the foreground', async (_, program) => {
  const terminal = await testTerminals().start('t', { ...shellIn('/'), ...program })
  const { status } = terminal
  expect((await until(() => terminal.foreground())).pid).toBe(status.is === 'running' && status.pid)
  expect(await terminal.isIdle()).toBe(false)
})

test.each([
  ['a line that is shown', '', false],
  ['a password', 'stty -echo;', true],
  ['keys one by one', 'stty raw -echo;', false],
])('detects whether the terminal hides input for %s', async (_, line, isHidden) => {
  const program = { file: '/bin/sh', args: ['-c', `${line} echo ready; cat`] }
  const terminal = await testTerminals().start('t', { ...shellIn('/'), ...program })
  await untilShown(terminal, 'ready')
  expect(await terminal.hidesInput()).toBe(isHidden)
})
