import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import { cpuMs } from '../base/cpu-ms.ts'
import type { LoopShare } from '../base/loop-share.ts'
import { createLoopShare } from '../base/loop-share.ts'
import { Intake } from './intake.ts'

/** Text whose lines are messages: `a` answers a request, anything else does not, and `slow` waits for a worker. */
function reading(options: { readonly onLine?: (line: string) => void; readonly share?: LoopShare } = {}) {
  const lines: string[] = []
  const flow: string[] = []
  const worker = Promise.withResolvers<boolean>()
  const { share = createLoopShare() } = options
  onTestFinished(() => share[Symbol.dispose]())
  const intake = new Intake({
    share,
    source: { pause: () => void flow.push('pause'), resume: () => void flow.push('resume') },
    inPieces: true,
    read(bytes) {
      for (const line of bytes.toString().split('\n').filter(Boolean)) {
        intake.step(() => {
          lines.push(line)
          options.onLine?.(line)
          return line === 'slow' ? worker.promise : line.startsWith('a')
        })
      }
    },
  })
  return { intake, lines, flow, worker }
}

test('messages are passed on at once and in order, and the source is not paused', () => {
  const { intake, lines, flow } = reading()
  intake.take(Buffer.from('one\ntwo\n'))
  intake.end(() => lines.push('end'))
  expect(lines).toEqual(['one', 'two', 'end'])
  expect(flow).toEqual([])
})

test('what follows a message that waits for a worker waits too, and the source with it', async () => {
  const { intake, lines, flow, worker } = reading()
  intake.take(Buffer.from('one\nslow\ntwo\n'))
  intake.end(() => lines.push('end'))
  expect([lines, flow]).toEqual([['one', 'slow'], ['pause']])
  worker.resolve(true)
  await until(() => lines.includes('end'))
  expect([lines, flow]).toEqual([
    ['one', 'slow', 'two', 'end'],
    ['pause', 'resume'],
  ])
})

test('other work gets its turn every few milliseconds, even between answers', async () => {
  const { intake, lines, flow } = reading({ onLine: () => spin(1) })
  intake.take(Buffer.from('a'.repeat(1_000).concat('\n').repeat(64)))
  expect(lines.length).toBeLessThan(20)
  expect(flow).toEqual(['pause'])
  let turns = 0
  while (lines.length < 64) {
    await turn()
    turns++
  }
  expect(turns).toBeGreaterThan(3)
})

test('messages without a request use up the share, and then the source rests', async () => {
  let left = 100
  // On a busy machine, a real share grows while the test waits for the processor.
  const share = { charge: (ms: number) => void (left -= ms), restMs: () => (left > 0 ? 0 : 60_000) }
  const { intake, lines, flow } = reading({ onLine: () => spin(5), share: { ...share, [Symbol.dispose]() {} } })
  for (let chunk = 0; chunk < 40; chunk++) {
    intake.take(Buffer.from('b\n'))
    await turn()
  }
  expect(flow.at(-1)).toBe('pause')
  expect(lines.length).toBeLessThan(35)
  intake.hurry()
  await until(() => lines.length === 40)
})

test('answers do not use up the share', async () => {
  const { intake, lines } = reading({ onLine: () => spin(5) })
  for (let chunk = 0; chunk < 40; chunk++) {
    intake.take(Buffer.from('a\n'))
    await turn()
  }
  expect(lines).toHaveLength(40)
})

test('nothing is passed on after the end', async () => {
  const { intake, lines, worker } = reading()
  intake.take(Buffer.from('slow\ntwo\n'))
  intake.stop()
  worker.resolve(true)
  intake.take(Buffer.from('three\n'))
  await turn()
  expect(lines).toEqual(['slow'])
})

function spin(ms: number): void {
  const until = cpuMs() + ms
  while (cpuMs() < until);
}
