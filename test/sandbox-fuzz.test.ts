/** Random attacks by confined agents. The soak tries many more (`test/soak/sandbox.soak.ts`). */
import { expect, test } from 'vitest'
import { requiresAll } from './harness/requires.ts'
import { fuzzSandbox } from './soak/fuzz-sandbox.ts'
import { hubUsers } from './worlds/hub-users.ts'

const { describe } = requiresAll('bwrap', 'git', 'setpriv', 'socat')
const seed = 25
const rounds = 12

describe.each(hubUsers())('as $who', (user) => {
  test('nothing outside believes, follows or runs what confined agents leave', async () => {
    const { faults, history, tried, done } = await fuzzSandbox({ seed, rounds, user })
    expect(faults, `seed ${seed}\n${history.join('\n')}`).toEqual([])
    for (const kind of ['attack', 'tool', 'command', 'git'] as const) {
      expect(done[kind], kind).toBeGreaterThan(tried[kind] / 4)
    }
  })
})
