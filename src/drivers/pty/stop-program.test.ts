import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shellLine } from '../../../test/worlds/held-program.ts'
import { isAlive } from '../../../test/fixtures/processes.ts'
import { useSqliteWorld } from '../../../test/worlds/session-world.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { shownOn, testTerminals, untilShown } from '../../../test/worlds/terminals.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'
import { until } from '../../../test/fixtures/until.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { stopProgram } from './stop-program.ts'
import { terminalOf } from '../../sessions/session-output.ts'

/** An interactive shell, which puts each command into a process group of its own. */
const shell = {
  ...shellLine('', { PS1: 'prompt> ' }),
  file: '/bin/bash',
  args: ['--norc', '--noprofile', '-i'],
}

/** Reads the pid that the screen shows after the name. The test kills the process at its end, if it is still alive. */
async function pidShown(terminal: Terminal, name: string): Promise<number> {
  const pid = await until(() => Number(new RegExp(`${name}=(\\d+)`).exec(shownOn(terminal))?.[1]) || undefined)
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  })
  return pid
}

async function typeInto(terminal: Terminal, line: string): Promise<void> {
  await untilShown(terminal, 'prompt>')
  terminal.write(Buffer.from(`${line}\r`))
}

test('the foreground program of a shell gets SIGTERM too, even if it ignores SIGHUP', async () => {
  const marker = join(temporaryDirectory(), 'told')
  const terminal = await testTerminals().start('t', shell)
  const line = `trap "" HUP; trap "echo TERM > ${marker}; exit" TERM; echo front=$$; while :; do sleep 0.05; done`
  await typeInto(terminal, `sh -c '${line}'`)
  const front = await pidShown(terminal, 'front')
  await stopProgram(terminal)
  expect(terminal.status.is).toBe('exited')
  expect(isAlive(front)).toBe(false)
  expect(readFileSync(marker, 'utf8')).toBe('TERM\n')
})

test('background programs end too, even if they are stopped, and those that ignore signals are killed', async () => {
  const terminal = await testTerminals().start('t', shell)
  const deaf = `trap "" HUP TERM; echo deaf=$$; while :; do sleep 0.05; done`
  await typeInto(terminal, `nohup sleep 1000 > /dev/null 2>&1 & echo nohup=$!`)
  await typeInto(terminal, `sleep 1001 & kill -STOP $!; echo halted=$!`)
  await typeInto(terminal, `sh -c '${deaf}' &`)
  const pids = await Promise.all(['nohup', 'halted', 'deaf'].map((name) => pidShown(terminal, name)))
  await stopProgram(terminal)
  expect(pids.map(isAlive)).toEqual([false, false, false])
})

test('a child that a program leaves behind in its process group is killed', async () => {
  const child = `trap "" HUP TERM; echo child=$$; while :; do sleep 0.05; done`
  const terminal = await testTerminals().start('t', shellLine(`sh -c '${child}' & wait`))
  const left = await pidShown(terminal, 'child')
  await stopProgram(terminal)
  expect(isAlive(left)).toBe(false)
})

test('a process that started its own session with setsid is left alone', async () => {
  const terminal = await testTerminals().start('t', shell)
  await typeInto(terminal, `setsid sh -c 'echo daemon=$$; exec sleep 1000' &`)
  const daemon = await pidShown(terminal, 'daemon')
  await stopProgram(terminal)
  expect(isAlive(daemon)).toBe(true)
})

test('a session ends only when everything in its terminal is gone, for every caller that ends it', async () => {
  let front = 0
  const living: boolean[] = []
  const { sessions } = await useSqliteWorld([], {
    signals: { emit: (name) => void (name === 'session-ended' && living.push(isAlive(front))) },
  })
  const command = `bash --norc -mc 'trap "exit 3" TERM; sh -c "trap \\"\\" HUP TERM; echo front=\\$\\$; while :; do sleep 0.05; done" & wait'`
  const { record } = await sessions.create({ name: 'held-up', command }, new AbortController().signal)
  front = await pidShown(await terminalOf(sessions, record), 'front')
  const ended = await Promise.all([1, 2].map(() => sessions.kill(record, { remove: false })))
  expect(ended.map(({ status }) => status)).toEqual(['stopped', 'stopped'])
  expect(living).toEqual([false])
})

tmux.describe('in tmux', () => {
  test('the foreground program of a shell ends with the shell', async () => {
    const server = tmuxServer()
    const spec = { ...shell, tmux: { ...server.access, session: 'work' } }
    const terminal = server.ends(await testTerminals().start('t', spec))
    await typeInto(terminal, `sh -c 'trap "" HUP TERM; echo front=$$; while :; do sleep 0.05; done'`)
    const front = await pidShown(terminal, 'front')
    await stopProgram(terminal)
    expect(isAlive(front)).toBe(false)
    await until(async () => (await server.run('list-sessions').catch(() => '')) === '')
  })

  test('a program that ends slowly after SIGHUP is not killed', async () => {
    const server = tmuxServer()
    const line = 'trap "sleep 0.5; exit" HUP; echo up; while :; do sleep 0.05; done'
    const spec = { ...shellLine(line), tmux: { ...server.access, session: 'work' } }
    const terminal = server.ends(await testTerminals().start('t', spec))
    await untilShown(terminal, 'up')
    const others = await terminal.otherProcesses()
    const kill = vi.spyOn(process, 'kill')
    onTestFinished(() => kill.mockRestore())
    await stopProgram(terminal, 60_000)
    expect(kill.mock.calls.flat()).not.toContain('SIGKILL')
    expect(await others.remaining()).toEqual([])
  })
})
