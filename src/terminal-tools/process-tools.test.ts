import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

/** An interactive shell, at its prompt. */
async function openShell() {
  const box = await openToolbox('exec sh -i')
  await box.call('wait_for', { for: 'text', value: '$ ' })
  return box
}

test('a shell at its prompt is the foreground process, and idle', async () => {
  const box = await openShell()
  const { child_pid: pid, running } = await box.call('get_pty_info')
  expect(running).toBe(true)
  expect(await box.call('get_foreground_process')).toEqual({ pid, command: 'sh', cmdline: 'sh -i' })
  expect(await box.call('get_working_directory')).toEqual({ pid, path: box.workspace })
  expect(await box.call('is_shell_idle')).toEqual({ idle: true, shell_pid: pid, foreground_pid: pid })
})

test('the command of a shell is the foreground process, and the shell is not idle', async () => {
  const box = await openShell()
  mkdirSync(join(box.workspace, 'deeper'))
  const { child_pid: shell } = await box.call('get_pty_info')
  await box.call('send_text', { text: 'cd deeper; sh -c "echo started; exec sleep 1000"\n' })
  await box.call('wait_for', { for: 'regex', value: '^started' })
  const { pid, cmdline } = await box.call('get_foreground_process')
  expect(pid).not.toBe(shell)
  expect(cmdline).toMatch(/sleep 1000/)
  expect(await box.call('get_working_directory')).toEqual({ pid, path: join(box.workspace, 'deeper') })
  expect(await box.call('is_shell_idle')).toEqual({ idle: false, shell_pid: shell, foreground_pid: pid })
})

test('is_shell_idle is refused while its module is off', async () => {
  const box = await openShell()
  await box.call('toggle_module', { name: 'idle', enabled: false })
  expect(await box.failure('is_shell_idle')).toContain('The idle module of this session is off')
})

test('a program that has ended still has a size but no processes', async () => {
  const box = await openToolbox('exit 0', { cols: 70, rows: 20 })
  await box.call('wait_for', { for: 'exit' })
  expect(await box.call('get_pty_info')).toEqual({ cols: 70, rows: 20, child_pid: null, running: false })
  const ended = 'The program has ended, so no process runs in this terminal.'
  expect(await box.failure('get_foreground_process')).toBe(ended)
  expect(await box.failure('get_working_directory')).toBe(ended)
  expect(await box.failure('is_shell_idle')).toBe(ended)
})
