import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilShown } from '../../test/fixtures/terminals.ts'
import { shellLine } from '../../test/fixtures/held-program.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Activity } from '../api/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ActivityWatch, ActivityWatchOptions } from './activity.ts'
import { createActivityWatch, loadActivityRules } from './activity.ts'

const shipped = fileURLToPath(new URL('../../activity/', import.meta.url))

interface Watched {
  readonly watch: ActivityWatch
  /** All that was told. */
  readonly told: readonly Activity[]
  /** Once that was told. */
  is(kind: Activity['is']): Promise<Activity>
}

function watched(terminal: ActivityWatchOptions['terminal'], options: Partial<ActivityWatchOptions> = {}): Watched {
  const told: Activity[] = []
  const watch = createActivityWatch({
    terminal,
    rules: undefined,
    onChange: (activity) => told.push(activity),
    ...options,
  })
  onTestFinished(() => watch[Symbol.dispose]())
  return { watch, told, is: (kind) => until(() => told.findLast(({ is }) => is === kind)) }
}

function interactiveShell(): Parameters<ReturnType<typeof testTerminals>['start']>[1] {
  const home = temporaryDirectory()
  const env = { PATH: '/usr/bin:/bin', HOME: home, PS1: 'ready> ', TERM: 'xterm-256color' }
  return { file: '/bin/bash', args: ['--norc', '--noprofile'], cwd: home, env, cols: 80, rows: 24 }
}

function run(terminal: Terminal, command: string): void {
  terminal.write(Buffer.from(`${command}\r`))
}

test('a shell is idle at its prompt and works while it runs a command, though that prints nothing', async () => {
  const terminal = await testTerminals().start('shell', interactiveShell())
  const { told, is } = watched(terminal, { rules: loadActivityRules([shipped], 'shell') })
  await is('idle')
  run(terminal, 'sleep 60')
  expect(await is('working')).toMatchObject({ source: 'screen' })
  terminal.write(Buffer.from('\x03'))
  await until(() => told.at(-1)?.is === 'idle')
  expect(told.map((activity) => activity.is).slice(-3)).toEqual(['idle', 'working', 'idle'])
})

test('an agent’s own word is told at once, and its end takes the word back', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, told, is } = watched(terminal)
  watch.signal({ is: 'waiting', reason: 'It wants to use Bash' })
  expect(watch.current).toMatchObject({ is: 'waiting', reason: 'It wants to use Bash', source: 'agent', confidence: 1 })
  expect(told).toEqual([watch.current])
  run(terminal, 'enough')
  expect(await is('idle')).toMatchObject({ source: 'exit', confidence: 1 })
})

test('saying the same twice is one change', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, told } = watched(terminal)
  watch.signal({ is: 'working' })
  const { since } = watch.current
  watch.signal({ is: 'working' })
  expect(told).toHaveLength(1)
  expect(watch.current.since).toBe(since)
})

test('a program without rules works while it prints, and is idle when it has been quiet', async () => {
  const terminal = await testTerminals().start('program', shellLine('read line; echo begun; read line'))
  const { is } = watched(terminal, { quietMs: 200 })
  run(terminal, '')
  expect(await is('working')).toMatchObject({ source: 'quiet' })
  expect(await is('idle')).toMatchObject({ source: 'quiet' })
})

test('rules that cannot be had leave what is known without them', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, is } = watched(terminal, { rules: Promise.resolve(undefined), quietMs: 100 })
  watch.signal({ is: 'working' })
  expect((await is('working')).source).toBe('agent')
})

test('nothing is told once nobody watches', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line; echo heard'))
  const { watch, told } = watched(terminal, { quietMs: 1 })
  watch[Symbol.dispose]()
  run(terminal, 'text')
  await untilShown(terminal, 'heard')
  expect(told).toEqual([])
})
