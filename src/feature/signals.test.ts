import { expect, test } from 'vitest'
import { createSignals } from './feature.ts'

function signalsWithLog() {
  const logged: object[] = []
  const signals = createSignals({ error: (names: object) => void logged.push(names) })
  return { signals, logged }
}

test('a signal reaches every reaction to it, in the order of connection, before emit returns', () => {
  const { signals } = signalsWithLog()
  const reactions: string[] = []
  signals.connect({ 'session-ended': ({ session }) => void reactions.push(`first ${session}`) })
  signals.connect({ 'policy-saved': () => void reactions.push('policy') })
  signals.connect({ 'session-ended': ({ session }) => void reactions.push(`second ${session}`) })
  signals.emit('session-ended', { session: 's1' })
  expect(reactions).toEqual(['first s1', 'second s1'])
})

test('a reaction that fails is logged, and the others still run', async () => {
  const { signals, logged } = signalsWithLog()
  const reactions: string[] = []
  const thrown = new Error('at once')
  const rejected = new Error('later')
  signals.connect({
    'session-ended': () => {
      throw thrown
    },
  })
  signals.connect({ 'session-ended': () => Promise.reject(rejected) })
  signals.connect({ 'session-ended': () => void reactions.push('third') })
  signals.emit('session-ended', { session: 's1' })
  expect(reactions).toEqual(['third'])
  await expect.poll(() => logged).toHaveLength(2)
  expect(logged).toEqual([
    { signal: 'session-ended', session: 's1', error: thrown },
    { signal: 'session-ended', session: 's1', error: rejected },
  ])
})
