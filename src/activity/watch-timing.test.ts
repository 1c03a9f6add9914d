/** When the watch looks, by a clock that the test turns: a real screen, fed by hand. */
import { fileURLToPath } from 'node:url'
import { beforeEach, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Activity } from '../api/session.ts'
import { createScreen } from '../terminal/terminal.ts'
import type { ActivityWatchOptions } from './activity.ts'
import { createActivityWatch, loadActivityRules } from './activity.ts'

const shipped = fileURLToPath(new URL('../../activity/', import.meta.url))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function handFed() {
  const screen = createScreen({ size: { cols: 80, rows: 24 }, scrollbackLines: 0, onAnswer: () => {} })
  onTestFinished(() => screen[Symbol.dispose]())
  const listeners = new Set<() => void>()
  const state = { looks: 0, isShellIdle: true, isDrawn: true }
  const terminal: ActivityWatchOptions['terminal'] = {
    life: { is: 'running', pid: 1, holderPid: 1, tooOld: undefined },
    get offset() {
      return screen.offset
    },
    get screen() {
      state.looks++
      return screen
    },
    get isDrawn() {
      return state.isDrawn
    },
    isIdle: async () => state.isShellIdle,
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
  const told: Activity['is'][] = []
  const rules = await loadActivityRules([shipped], name)
  const watch = createActivityWatch({ terminal, rules, onChange: ({ is }) => told.push(is), ...options })
  onTestFinished(() => watch[Symbol.dispose]())
  await vi.advanceTimersByTimeAsync(0)
  return { watch, told }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const title = (text: string) => `\x1b]0;${text}\x07`

test('a screen that changes all the time is looked at ten times a second', async () => {
  const { terminal, state, print } = handFed()
  await watched(terminal, 'codex')
  const before = state.looks
  for (let ms = 0; ms < 1_000; ms++) await print(title(`⠋ ${ms}`))
  expect(state.looks - before).toBeGreaterThanOrEqual(9)
  expect(state.looks - before).toBeLessThanOrEqual(11)
})

test('a screen that does not change is not looked at', async () => {
  const { terminal, state, print } = handFed()
  await watched(terminal, 'codex')
  await print(title('⠋ busy'))
  await pass(10_000)
  const before = state.looks
  await pass(600_000)
  expect(state.looks).toBe(before)
})

test('what the agent said does not come up again once its screen has turned', async () => {
  const { terminal, print } = handFed()
  const { watch, told } = await watched(terminal, 'codex')
  watch.signal({ is: 'waiting' })
  await print(title('⠋ busy'))
  await pass(200)
  expect(watch.current.is).toBe('working')
  await print(title('something that no rule knows'))
  await pass(10_000)
  expect(told).toEqual(['waiting', 'working', 'unknown'])
})

test('a command that begins after its echo and prints nothing is seen to run', async () => {
  const { terminal, state, print } = handFed()
  const { watch } = await watched(terminal, 'shell')
  await print('$ sleep 60\r\n')
  await pass(200)
  expect(watch.current.is).toBe('idle')
  state.isShellIdle = false
  await pass(500)
  expect(watch.current.is).toBe('working')
})

test('an agent that pauses between two steps is told to work on', async () => {
  const { terminal, print } = handFed()
  const { told } = await watched(terminal, 'codex')
  await print(`${title('⠋ busy')}› Ask`)
  await pass(500)
  await print(title('done'))
  await pass(2_500)
  await print(title('⠙ busy'))
  await pass(500)
  expect(told).toEqual(['working'])
  await print(title('done'))
  await pass(3_500)
  expect(told).toEqual(['working', 'idle'])
})

const before = { since: '2026-01-01T00:00:00.000Z' }
const waitingByWord: Activity = { ...before, is: 'waiting', reason: 'It wants tea', source: 'agent', confidence: 1 }

test('what an earlier hub knew holds until the screen is drawn, and longer where it shows the same', async () => {
  const { terminal, state, print } = handFed()
  state.isDrawn = false
  const last: Activity = { ...before, is: 'working', source: 'screen', confidence: 0.9 }
  const { watch, told } = await watched(terminal, 'codex', { last })
  await print(title('⠋ busy'))
  await pass(60_000)
  expect(watch.current).toEqual(last)
  state.isDrawn = true
  await print(title('⠙ busy'))
  await pass(60_000)
  expect(watch.current).toMatchObject({ ...before, is: 'working', source: 'agent' })
  expect(told).toEqual([])
})

test('that an agent said to an earlier hub that it waits stands until its screen turns', async () => {
  const { terminal, state, print } = handFed()
  state.isDrawn = false
  const { watch, told } = await watched(terminal, 'codex', { last: waitingByWord })
  await pass(1_000)
  state.isDrawn = true
  await print(title('⠋ busy'))
  await pass(60_000)
  expect(watch.current).toEqual(waitingByWord)
  await print(`${title('done')}› Ask`)
  await pass(10_000)
  expect(told).toEqual(['idle'])
})

test('that it said it works does not stand against a screen that is idle by now', async () => {
  const { terminal, print } = handFed()
  await print(`${title('done')}› Ask`)
  const last: Activity = { ...before, is: 'working', source: 'agent', confidence: 1 }
  const { told } = await watched(terminal, 'codex', { last })
  await pass(10_000)
  expect(told).toEqual(['idle'])
})

test('a program without rules goes on as it was, and is idle when it has been quiet', async () => {
  const { terminal } = handFed()
  const last: Activity = { ...before, is: 'working', source: 'quiet', confidence: 0.3 }
  const { watch, told } = await watched(terminal, 'codex', { rules: undefined, last })
  expect(watch.current).toEqual(last)
  await pass(20_000)
  expect(told).toEqual(['idle'])
})

test('what it waits for is told without secrets', async () => {
  const { terminal } = handFed()
  const redact = (text: string) => text.replace('tea', '[redacted]')
  const { watch } = await watched(terminal, 'codex', { redact })
  watch.signal({ is: 'waiting', reason: 'It wants tea' })
  expect(watch.current.reason).toBe('It wants [redacted]')
})
