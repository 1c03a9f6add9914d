import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shellLine } from '../../test/fixtures/held-program.ts'
import { isAlive } from '../../test/fixtures/processes.ts'
import { useSqliteWorld } from '../../test/fixtures/session-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { shownOn, testTerminals, untilShown } from '../../test/fixtures/terminals.ts'
import { tmux, tmuxServer } from '../../test/fixtures/tmux-server.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { stopProgram } from './stop-program.ts'

/** One that puts what it runs in groups of their own. */
const shell = {
  ...shellLine('', { PS1: 'prompt> ' }),
  file: '/bin/bash',
  args: ['--norc', '--noprofile', '-i'],
}

/** As it stands on the screen behind its name. It goes with the test, whoever failed to end it. */
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

test('what a shell runs in the foreground is asked to end too, though it ignores that the terminal goes', async () => {
  const told = join(temporaryDirectory(), 'told')
  const terminal = await testTerminals().start('t', shell)
  const line = `trap "" HUP; trap "echo TERM > ${told}; exit" TERM; echo front=$$; while :; do sleep 0.05; done`
  await typeInto(terminal, `sh -c '${line}'`)
  const front = await pidShown(terminal, 'front')
  await stopProgram(terminal)
  expect(terminal.life.is).toBe('exited')
  expect(isAlive(front)).toBe(false)
  expect(readFileSync(told, 'utf8')).toBe('TERM\n')
})

test('what runs in the background ends too, halted or not, and what listens to nothing is killed', async () => {
  const terminal = await testTerminals().start('t', shell)
  const deaf = `trap "" HUP TERM; echo deaf=$$; while :; do sleep 0.05; done`
  await typeInto(terminal, `nohup sleep 1000 > /dev/null 2>&1 & echo nohup=$!`)
  await typeInto(terminal, `sleep 1001 & kill -STOP $!; echo halted=$!`)
  await typeInto(terminal, `sh -c '${deaf}' &`)
  const pids = await Promise.all(['nohup', 'halted', 'deaf'].map((name) => pidShown(terminal, name)))
  await stopProgram(terminal)
  expect(pids.map(isAlive)).toEqual([false, false, false])
})

test('what a program leaves behind in its own group is killed', async () => {
  const child = `trap "" HUP TERM; echo child=$$; while :; do sleep 0.05; done`
  const terminal = await testTerminals().start('t', shellLine(`sh -c '${child}' & wait`))
  const left = await pidShown(terminal, 'child')
  await stopProgram(terminal)
  expect(isAlive(left)).toBe(false)
})

test('what has given itself a session of its own goes on', async () => {
  const terminal = await testTerminals().start('t', shell)
  await typeInto(terminal, `setsid sh -c 'echo daemon=$$; exec sleep 1000' &`)
  const daemon = await pidShown(terminal, 'daemon')
  await stopProgram(terminal)
  expect(isAlive(daemon)).toBe(true)
})

test('a session is over when all that ran in its terminal is gone, for whoever ends it', async () => {
  let front = 0
  const living: boolean[] = []
  const { sessions } = await useSqliteWorld([], { onSessionEnded: () => void living.push(isAlive(front)) })
  const command = `bash --norc -mc 'trap "exit 3" TERM; sh -c "trap \\"\\" HUP TERM; echo front=\\$\\$; while :; do sleep 0.05; done" & wait'`
  const { record } = await sessions.create({ name: 'held-up', command }, new AbortController().signal)
  front = await pidShown(await sessions.terminalOf(record), 'front')
  const ended = await Promise.all([1, 2].map(() => sessions.kill(record, { remove: false })))
  expect(ended.map(({ status }) => status)).toEqual(['stopped', 'stopped'])
  expect(living).toEqual([false])
})

tmux.describe('in tmux', () => {
  test('what a shell runs in the foreground ends with it', async () => {
    const server = tmuxServer()
    const spec = { ...shell, tmux: { ...server.access, session: 'work' } }
    const terminal = server.ends(await testTerminals().start('t', spec))
    await typeInto(terminal, `sh -c 'trap "" HUP TERM; echo front=$$; while :; do sleep 0.05; done'`)
    const front = await pidShown(terminal, 'front')
    await stopProgram(terminal)
    expect(isAlive(front)).toBe(false)
    await until(async () => (await server.run('list-sessions').catch(() => '')) === '')
  })

  test('nothing has to be killed where the program listens, though it takes its time', async () => {
    const server = tmuxServer()
    const line = 'trap "sleep 0.5; exit" HUP; echo up; while :; do sleep 0.05; done'
    const spec = { ...shellLine(line), tmux: { ...server.access, session: 'work' } }
    const terminal = server.ends(await testTerminals().start('t', spec))
    await untilShown(terminal, 'up')
    const companions = await terminal.companions()
    const kill = vi.spyOn(process, 'kill')
    onTestFinished(() => kill.mockRestore())
    await stopProgram(terminal)
    expect(kill.mock.calls.flat()).not.toContain('SIGKILL')
    expect(await companions.left()).toEqual([])
  })
})
