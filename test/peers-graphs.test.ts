/** Every prompt ends, even if sessions wait for one another in any graph. `npm run soak` tries more graphs. */
import { expect, test } from 'vitest'
import { callInGraphs } from './soak/call-in-graphs.ts'

test('random graphs of calls end without a deadlock, and every turn that begins ends', async () => {
  const { stuck, asked, begun, ended, refused } = await callInGraphs({ graphs: 40, seed: 1 })
  expect(stuck).toEqual([])
  expect(asked).toBeGreaterThan(40)
  expect(ended).toBe(begun)
  expect(refused).toBeGreaterThan(0)
}, 1_200_000)
