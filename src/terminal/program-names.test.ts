import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { namesIn, programNames } from './program-names.ts'

test.each([
  [['claude'], ['claude']],
  [['/usr/local/bin/codex', '--no-daemon'], ['codex']],
  [['-bash'], ['bash']],
  [
    ['node', '--no-warnings', '/opt/bin/gemini', '-m', 'x'],
    ['node', 'gemini'],
  ],
  [
    ['/usr/bin/node', '/opt/lib/cli.js'],
    ['node', 'cli'],
  ],
  [
    ['/bin/sh', '/opt/bin/claude'],
    ['sh', 'claude'],
  ],
  [['vim', 'claude'], ['vim']],
  [[], ['']],
])('the command line %j has the program names %j', (words, names) => {
  expect(namesIn(words)).toEqual(names)
})

test('a program is found behind its wrappers', async () => {
  const outer = spawn('sh', ['-c', 'sh -c "sleep 600; true"; true'], { stdio: 'ignore', detached: true })
  await once(outer, 'spawn')
  onTestFinished(() => void process.kill(-outer.pid!, 'SIGKILL'))
  await vi.waitFor(async () => expect(await programNames(outer.pid!)).toContain('sleep'), 60_000)
  expect((await programNames(outer.pid!))[0]).toBe('sh')
})
