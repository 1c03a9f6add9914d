/**
 * Sends random messages in both roles: as clients of the endpoint, and as upstreams behind it. The hub must not fail,
 * grow or stall, and other clients must not be affected. SOAK_FUZZ_SEED repeats a run that found a fault.
 */
import { expect, test } from 'vitest'
import { openLanes } from './fuzz-endpoint.ts'
import { bindHostile } from './fuzz-upstreams.ts'
import { createDice } from './fuzz-values.ts'
import { lastingCommand, startFuzzedHub } from './fuzzed-hub.ts'

const seed = Number(process.env['SOAK_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const messages = Number(process.env['SOAK_FUZZ_MESSAGES'] ?? 20_000)

test(`the endpoint survives ${messages} random messages (SOAK_FUZZ_SEED=${seed})`, { timeout: 3_600_000 }, async () => {
  await using hub = await startFuzzedHub({ fault: /-32603/ })
  const { mcp_socket: socket } = await hub.call('get_session', { name: 'fuzz-agent' })
  const lanes = await openLanes(hub, String(socket))
  await hub.forgetStalls()
  const heaps: number[] = []
  for (const half of [1, 2]) {
    await hub.call('create_session', { name: 'victim', command: lastingCommand }).catch(() => {})
    const runs = [...lanes].map(async ([name, lane], index) => {
      const sent = Math.ceil(messages / 2 / lanes.size)
      const answered = await lane(createDice(seed + half * 1_000 + index), sent)
      console.log({ half, name, sent, answered })
      expect(answered, name).toBeGreaterThan(sent / 20)
    })
    await Promise.all(runs)
    await hub.endSessions()
    heaps.push(await hub.heapMb())
    await hub.expectSound()
  }
  expect(heaps[1]).toBeLessThan(heaps[0]! * 1.1 + 3)
})

test(
  `the hub survives ${messages / 4} requests to upstreams that answer at random (SOAK_FUZZ_SEED=${seed})`,
  { timeout: 3_600_000 },
  async () => {
    // The hub may pass on a mistake of an upstream as -32603.
    await using hub = await startFuzzedHub({ fault: /The hub failed/ })
    await using upstreams = await bindHostile(hub, seed)
    await upstreams.use(createDice(seed), 40, 'legacy')
    await hub.forgetStalls()
    const heaps: number[] = []
    for (const half of [1, 2]) {
      const lanes = (['legacy', 'modern', 'legacy', 'modern'] as const).map((era, index) =>
        upstreams.use(createDice(seed + half * 1_000 + index), messages / 4 / 8, era),
      )
      await Promise.all(lanes)
      console.log({ half, results: upstreams.results })
      heaps.push(await hub.heapMb())
      await hub.expectSound()
    }
    expect(heaps[1]).toBeLessThan(heaps[0]! * 1.1 + 3)
    for (const [name, results] of upstreams.results) expect(results, name).toBeGreaterThan(0)
  },
)
