/** Runs the steps of a page, in order and word for word, and compares their output with the page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, vi } from 'vitest'
import { encodeKeys } from '../../src/terminal/terminal.ts'
import { shownOn, testTerminals, untilEnded } from '../worlds/terminals.ts'
import { until } from '../fixtures/until.ts'
import { applyDiff } from './apply-diff.ts'
import type { Newcomer } from './newcomer.ts'
import type { Step } from './page-steps.ts'
import { assertPrinted, type Printed } from './printed.ts'

export async function runSteps(steps: readonly Step[], newcomer: Newcomer): Promise<void> {
  await using opened = new AsyncDisposableStack()
  let background: Running | undefined
  for (const step of steps) {
    switch (step.is) {
      case 'run': {
        const { code, printed } = await run(step.command, newcomer)
        expect(code, `${step.command}\n${printed.out}\n${printed.err}`).toBe(0)
        if (step.prints !== undefined) assertPrinted(step.prints, printed)
        break
      }
      case 'start':
        background = opened.use(start(step.command, newcomer))
        if (step.prints !== undefined) await background.untilPrinted(step.prints)
        break
      case 'leave':
        await runInTerminal(step.command, step.key, newcomer)
        break
      case 'look':
        if (!background) throw new Error('The page shows the output of a background command, but starts none before.')
        await background.untilPrinted(step.prints)
        break
      case 'write': {
        const path = await ownPath(step.path, newcomer)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, step.text)
        break
      }
      case 'edit': {
        const path = await ownPath(step.path, newcomer)
        await writeFile(path, applyDiff(await readFile(path, 'utf8'), step.change, step.path))
        break
      }
    }
  }
}

/** Throws if the file is reached through a link, because the checkout of the tests would change. */
async function ownPath(file: string, { path }: Newcomer): Promise<string> {
  const [top = ''] = file.split('/')
  const found = await lstat(join(path, top)).catch(() => undefined)
  if (found?.isSymbolicLink()) throw new Error(`The page changes ${file}, so it needs a newcomer with a clone.`)
  return join(path, file)
}

interface Running extends AsyncDisposable {
  /** Waits until its whole output so far is what the page shows. */
  untilPrinted(expected: string): Promise<void>
}

function start(command: string, newcomer: Newcomer): Running {
  const child = spawnShell(command, newcomer)
  const printed = collect(child)
  const exit = once(child, 'exit')
  return {
    untilPrinted: (expected) => vi.waitFor(() => assertPrinted(expected, printed), { timeout: 240_000, interval: 50 }),
    async [Symbol.asyncDispose]() {
      signalGroup(child, 'SIGTERM')
      await exit
      // Ends the processes that it started and left running.
      signalGroup(child, 'SIGKILL')
    },
  }
}

async function run(command: string, newcomer: Newcomer): Promise<{ code: number | null; printed: Printed }> {
  const child = spawnShell(command, newcomer)
  const printed = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed }
}

/** Like a person at a keyboard: waits until something is shown, then presses the key that leaves. */
async function runInTerminal(command: string, key: string, { path, env }: Newcomer): Promise<void> {
  const program = { file: '/bin/sh', args: ['-e', '-c', command], cwd: path, cols: 80, rows: 24 }
  const terminal = await testTerminals().start('page', { ...program, env: { ...env, TERM: 'xterm-256color' } })
  await until(() => shownOn(terminal) !== '')
  terminal.write(encodeKeys(key, { applicationCursor: false }).bytes)
  const status = await untilEnded(terminal)
  expect(status, `${command}\n${shownOn(terminal)}`).toMatchObject({ is: 'exited', code: 0 })
}

/** Starts a process group of its own, so that it can be ended with all processes that it started. */
function spawnShell(command: string, { path, env }: Newcomer): ChildProcess {
  return spawn('sh', ['-e', '-c', command], { cwd: path, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

function collect(child: ChildProcess): Printed {
  const printed = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.err += text))
  return printed
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // No process of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
