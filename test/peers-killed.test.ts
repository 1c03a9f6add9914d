/** The hub is killed while one agent waits for another. `npm run soak` does it 50 times. */
import { expect, test } from 'vitest'
import { killInAsks, truth } from './soak/kill-in-asks.ts'

test('both threads are true, nothing ran twice and nothing hangs after kills with a call to a peer under way', async () => {
  const seed = Date.now() % 2 ** 31
  const report = await killInAsks({ kills: 4, seed })
  expect(report, `seed ${seed}`).toEqual(truth(report))
}, 600_000)
