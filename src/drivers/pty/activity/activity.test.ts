import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilShown } from '../../../../test/worlds/terminals.ts'
import { shellLine } from '../../../../test/worlds/held-program.ts'
import { until } from '../../../../test/fixtures/until.ts'
import type { Activity } from '../../../api/session.ts'
import type { Terminal } from '../../../terminal/terminal.ts'
import type { ActivityRules, ActivityWatch, ActivityWatchOptions } from './activity.ts'
import { createActivityWatch, loadActivityRules } from './activity.ts'

const shipped = fileURLToPath(new URL('../../../../activity/', import.meta.url))

interface Watched {
  readonly watch: ActivityWatch
  /** Every activity that was reported. */
  readonly reported: readonly Activity[]
  /** Waits until that activity was reported. */
  is(kind: Activity['is']): Promise<Activity>
}

function watched(terminal: ActivityWatchOptions['terminal'], options: Partial<ActivityWatchOptions> = {}): Watched {
  const reported: Activity[] = []
  const watch = createActivityWatch({
    terminal,
    rules: undefined,
    onChange: (activity) => reported.push(activity),
    ...options,
  })
  onTestFinished(() => watch[Symbol.dispose]())
  return { watch, reported, is: (kind) => until(() => reported.findLast(({ is }) => is === kind)) }
}

function interactiveShell(): Parameters<ReturnType<typeof testTerminals>['start']>[1] {
  const home = temporaryDirectory()
  const env = { PATH: '/usr/bin:/bin', HOME: home, PS1: 'ready> ', TERM: 'xterm-256color' }
  return { file: '/bin/bash', args: ['--norc', '--noprofile'], cwd: home, env, cols: 80, rows: 24 }
}

function run(terminal: Terminal, command: string): void {
  terminal.write(Buffer.from(`${command}\r`))
}

test('a shell is idle at its prompt and working while it runs a command, even one that prints nothing', async () => {
  const terminal = await testTerminals().start('shell', interactiveShell())
  const { reported } = watched(terminal, { rules: loadActivityRules([shipped], 'shell') })
  // A shell that is still starting may be reported as working.
  const becomes = (kind: Activity['is']) => until(() => reported.at(-1)?.is === kind)
  await becomes('idle')
  run(terminal, 'sleep 60')
  await becomes('working')
  expect(reported.at(-1)).toMatchObject({ source: 'screen' })
  terminal.write(Buffer.from('\x03'))
  await becomes('idle')
  expect(reported.map((activity) => activity.is).slice(-3)).toEqual(['idle', 'working', 'idle'])
})

test('an agent’s own report counts at once, and the end of its program overrides it', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, reported, is } = watched(terminal)
  watch.report({ is: 'waiting', reason: 'It wants to use Bash' })
  expect(watch.current).toMatchObject({ is: 'waiting', reason: 'It wants to use Bash', source: 'agent', confidence: 1 })
  expect(reported).toEqual([watch.current])
  run(terminal, 'enough')
  expect(await is('idle')).toMatchObject({ source: 'exit', confidence: 1 })
})

test('a report that comes before the first look at the screen is not contradicted by it', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const rules = Promise.withResolvers<ActivityRules | undefined>()
  const { watch, is } = watched(terminal, { rules: rules.promise })
  watch.report({ is: 'waiting', reason: 'It wants tea' })
  await is('waiting')
  rules.resolve(await loadActivityRules([shipped], 'shell'))
  expect(await watch.check()).toMatchObject({ is: 'waiting', source: 'agent' })
})

test('two equal reports are one change', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, reported } = watched(terminal)
  watch.report({ is: 'working' })
  const { since } = watch.current
  watch.report({ is: 'working' })
  expect(reported).toHaveLength(1)
  expect(watch.current.since).toBe(since)
})

test('a program without rules is working while it prints, and idle after it has been quiet', async () => {
  const printing = '(while echo more; do sleep 0.02; done) & read line; kill $!; read line'
  const terminal = await testTerminals().start('program', shellLine(printing))
  const { is, reported } = watched(terminal, { quietMs: 200 })
  expect(await is('working')).toMatchObject({ source: 'quiet' })
  run(terminal, '')
  await until(() => reported.at(-1)?.is === 'idle')
  expect(reported.at(-1)).toMatchObject({ source: 'quiet' })
})

test('reports still count if the rules cannot be loaded', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line'))
  const { watch, is } = watched(terminal, { rules: Promise.resolve(undefined), quietMs: 100 })
  watch.report({ is: 'working' })
  expect((await is('working')).source).toBe('agent')
})

test('a disposed watch reports nothing', async () => {
  const terminal = await testTerminals().start('agent', shellLine('read line; echo heard'))
  const { watch, reported } = watched(terminal, { quietMs: 1 })
  watch[Symbol.dispose]()
  run(terminal, 'text')
  await untilShown(terminal, 'heard')
  expect(reported).toEqual([])
})
