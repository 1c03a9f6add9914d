/** An hour of confined agents that try to get out. SOAK_FUZZ_SEED repeats a run that found a way. */
import { expect, test } from 'vitest'
import { requiresAll } from '../harness/requires.ts'
import { hubUsers } from '../worlds/hub-users.ts'
import { fuzzSandbox } from './fuzz-sandbox.ts'

const { describe } = requiresAll('bwrap', 'git', 'setpriv', 'socat')
const seed = Number(process.env['SOAK_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const rounds = Number(process.env['SOAK_FUZZ_ROUNDS'] ?? 3_000)

describe.each(hubUsers())('as $who', (user) => {
  test(
    `nothing outside follows what confined agents leave in ${rounds} rounds (SOAK_FUZZ_SEED=${seed})`,
    { timeout: 7_200_000 },
    async () => {
      const { faults, history, tried, done } = await fuzzSandbox({ seed, rounds, user })
      console.log({ tried, done })
      expect(faults, history.join('\n')).toEqual([])
    },
  )
})
