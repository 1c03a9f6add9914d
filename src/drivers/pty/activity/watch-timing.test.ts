/** Tests when the watch checks, with fake timers and a real screen that the test feeds. */
import { fileURLToPath } from 'node:url'
import { beforeEach, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Activity } from '../../../api/session.ts'
import { createScreen } from '../../../terminal/terminal.ts'
import type { ActivityWatchOptions } from './activity.ts'
import { createActivityWatch, loadActivityRules } from './activity.ts'

const shipped = fileURLToPath(new URL('../../../../activity/', import.meta.url))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createFedTerminal() {
  const screen = createScreen({ size: { cols: 80, rows: 24 }, scrollbackLines: 0, onAnswer: () => {} })
  onTestFinished(() => screen[Symbol.dispose]())
  const listeners = new Set<() => void>()
  const state = { reads: 0, isShellIdle: true, isDrawn: true, programs: [] as readonly string[] }
  const terminal: ActivityWatchOptions['terminal'] = {
    status: { is: 'running', pid: 1, holderPid: 1, tooOld: undefined },
    get offset() {
      return screen.offset
    },
    get screen() {
      state.reads++
      return screen
    },
    get isDrawn() {
      return state.isDrawn
    },
    isIdle: async () => state.isShellIdle,
    foregroundPrograms: async () => state.programs,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  async function print(text: string): Promise<void> {
    const fed = screen.feed(Buffer.from(text))
    await vi.advanceTimersByTimeAsync(1)
    await fed
    for (const listener of listeners) listener()
  }
  return { terminal, state, print }
}

async function watched(
  terminal: ActivityWatchOptions['terminal'],
  name: string,
  options: Partial<ActivityWatchOptions> = {},
) {
  const reported: Activity['is'][] = []
  const rules = await loadActivityRules([shipped], name)
  const watch = createActivityWatch({ terminal, rules, onChange: ({ is }) => reported.push(is), ...options })
  onTestFinished(() => watch[Symbol.dispose]())
  await vi.advanceTimersByTimeAsync(0)
  return { watch, reported }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const title = (text: string) => `\x1b]0;${text}\x07`

test('a screen that changes all the time is read ten times a second', async () => {
  const { terminal, state, print } = createFedTerminal()
  await watched(terminal, 'codex')
  const before = state.reads
  for (let ms = 0; ms < 1_000; ms++) await print(title(`⠋ ${ms}`))
  expect(state.reads - before).toBeGreaterThanOrEqual(9)
  expect(state.reads - before).toBeLessThanOrEqual(11)
})

test('a screen that does not change is not read', async () => {
  const { terminal, state, print } = createFedTerminal()
  await watched(terminal, 'codex')
  await print(title('⠋ busy'))
  await pass(10_000)
  const before = state.reads
  await pass(600_000)
  expect(state.reads).toBe(before)
})

test('a report does not count again after the screen has contradicted it', async () => {
  const { terminal, print } = createFedTerminal()
  const { watch, reported } = await watched(terminal, 'codex')
  watch.report({ is: 'waiting' })
  await print(title('⠋ busy'))
  await pass(200)
  expect(watch.current.is).toBe('working')
  await print(title('something that no rule knows'))
  await pass(10_000)
  expect(reported).toEqual(['waiting', 'working', 'unknown'])
})

test('a silent command that starts after its echo counts as working', async () => {
  const { terminal, state, print } = createFedTerminal()
  const { watch } = await watched(terminal, 'shell')
  await print('$ sleep 60\r\n')
  await pass(200)
  expect(watch.current.is).toBe('idle')
  state.isShellIdle = false
  await pass(500)
  expect(watch.current.is).toBe('working')
})

test('an agent that pauses between two steps is still working', async () => {
  const { terminal, print } = createFedTerminal()
  const { reported } = await watched(terminal, 'codex')
  await print(`${title('⠋ busy')}› Ask`)
  await pass(500)
  await print(title('done'))
  await pass(2_500)
  await print(title('⠙ busy'))
  await pass(500)
  expect(reported).toEqual(['working'])
  await print(title('done'))
  await pass(3_500)
  expect(reported).toEqual(['working', 'idle'])
})

const before = { since: '2026-01-01T00:00:00.000Z' }
const reportedWaiting: Activity = { ...before, is: 'waiting', reason: 'It wants tea', source: 'agent', confidence: 1 }

test('the activity from an earlier hub stays until the screen is drawn, and longer if the screen agrees', async () => {
  const { terminal, state, print } = createFedTerminal()
  state.isDrawn = false
  const last: Activity = { ...before, is: 'working', source: 'screen', confidence: 0.9 }
  const { watch, reported } = await watched(terminal, 'codex', { last })
  await print(title('⠋ busy'))
  await pass(60_000)
  expect(watch.current).toEqual(last)
  state.isDrawn = true
  await print(title('⠙ busy'))
  await pass(60_000)
  expect(watch.current).toMatchObject({ ...before, is: 'working', source: 'agent' })
  expect(reported).toEqual([])
})

test('a report of waiting to an earlier hub counts until the screen changes', async () => {
  const { terminal, state, print } = createFedTerminal()
  state.isDrawn = false
  const { watch, reported } = await watched(terminal, 'codex', { last: reportedWaiting })
  await pass(1_000)
  state.isDrawn = true
  await print(title('⠋ busy'))
  await pass(60_000)
  expect(watch.current).toEqual(reportedWaiting)
  await print(`${title('done')}› Ask`)
  await pass(10_000)
  expect(reported).toEqual(['idle'])
})

test('a report of working to an earlier hub does not outweigh an idle screen', async () => {
  const { terminal, print } = createFedTerminal()
  await print(`${title('done')}› Ask`)
  const last: Activity = { ...before, is: 'working', source: 'agent', confidence: 1 }
  const { reported } = await watched(terminal, 'codex', { last })
  await pass(10_000)
  expect(reported).toEqual(['idle'])
})

test('a program without rules keeps its activity after a restart, and is idle after a quiet time', async () => {
  const { terminal } = createFedTerminal()
  const last: Activity = { ...before, is: 'working', source: 'quiet', confidence: 0.3 }
  const { watch, reported } = await watched(terminal, 'codex', { rules: undefined, last })
  expect(watch.current).toEqual(last)
  await pass(20_000)
  expect(reported).toEqual(['idle'])
})

test('the reason for waiting is redacted', async () => {
  const { terminal } = createFedTerminal()
  const redact = (text: string) => text.replace('tea', '[redacted]')
  const { watch } = await watched(terminal, 'codex', { redact })
  watch.report({ is: 'waiting', reason: 'It wants tea' })
  expect(watch.current.reason).toBe('It wants [redacted]')
})

test('a program that starts during a slow check is found after that check', async () => {
  const { terminal, print } = createFedTerminal()
  const slow = Promise.withResolvers<readonly string[]>()
  const answers = [slow.promise]
  const foregroundPrograms = async () => answers.shift() ?? ['codex']
  const slowTerminal = Object.create(terminal, { foregroundPrograms: { value: foregroundPrograms } }) as typeof terminal
  const rules = await loadActivityRules([shipped], 'codex')
  const rulesOf = async (program: string) => (program === 'codex' ? rules : undefined)
  const { watch } = await watched(slowTerminal, 'opencode', { rulesOf })
  await print('$ codex')
  await pass(200)
  await print(title('[ ! ] Action Required'))
  await pass(2_000)
  slow.resolve([])
  await pass(2_000)
  expect(watch.current.is).toBe('waiting')
})
