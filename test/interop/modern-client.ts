/**
 * The guarantees for a client of 2026-07-28. It cannot resume a stream, so it listens again and reads the current
 * state.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { calls, describeCommonRequests, patience, untilRunning, uri } from './every-client.ts'
import { type RestartableHub, startRestartableHub } from '../worlds/restartable-hub.ts'
import type { Connect, ModernTestClient } from './test-client.ts'

export function describeModernClient(name: string, connect: Connect<ModernTestClient>): void {
  describe(name, () => {
    let hub: RestartableHub
    beforeAll(async () => void (hub = await startRestartableHub()))
    beforeEach(() => hub.ensureRunning())
    afterAll(() => hub[Symbol.asyncDispose]())

    describeCommonRequests(name, connect, () => hub)

    test('a call whose stream is cut is cancelled, and the next call works', async () => {
      await using client = await connect(hub.endpoint)
      const steps: number[] = []
      const giveUp = new AbortController()
      const options = { onProgress: (step: number) => steps.push(step), signal: giveUp.signal }
      const outcome = Promise.allSettled([client.callTool('test_guided', { label: 'cut' }, options)])
      await untilRunning(hub, 'cut')
      await hub.call('test_step', { label: 'cut' })
      await expect.poll(() => steps, patience).toEqual([1])

      hub.proxy.cut()

      await expect.poll(() => hub.call('test_calls'), patience).toMatchObject(calls({ cancelled: 'cut' }))
      expect(await client.callTool('hub_status')).toHaveProperty('version')
      // The library waits until its own time limit for an answer that cannot come.
      giveUp.abort()
      expect((await outcome)[0].status).toBe('rejected')
    })

    test('a client that lost its stream listens again and reads the changes in between', async () => {
      await using client = await connect(hub.endpoint)
      await client.watch([uri('a'), uri('b')])
      const before = Number(await client.readText(uri('b')))
      await hub.call('test_change', { uris: [uri('a')] })
      await expect.poll(() => client.notices, patience).toEqual([uri('a')])

      hub.proxy.cut()
      expect(await client.watchEnded()).toBe('remote')
      await hub.call('test_change', { uris: [uri('b')] })
      await client.watch([uri('a'), uri('b')])
      expect(await client.readText(uri('b'))).toBe(String(before + 1))

      await hub.call('test_change', { uris: [uri('a')] })
      await expect.poll(() => client.notices, patience).toEqual([uri('a'), uri('a')])
    })

    test.each([
      ['SIGTERM', 'graceful'],
      ['SIGKILL', 'remote'],
    ] as const)(
      'a client sees the end of its stream at %s of the hub, and continues with the next hub',
      async (signal, ending) => {
        await using client = await connect(hub.endpoint)
        await client.watch([uri('a')])

        await hub.end(signal)
        expect(await client.watchEnded()).toBe(ending)
        await hub.startAgain()

        expect(await client.callTool('hub_status')).toHaveProperty('version')
        await client.watch([uri('a')])
        await hub.call('test_change', { uris: [uri('a')] })
        await expect.poll(() => client.notices, patience).toEqual([uri('a')])
      },
    )

    test('a call that ran when the hub was killed fails, and the next call works', async () => {
      await using client = await connect(hub.endpoint)
      const outcome = Promise.allSettled([client.callTool('test_guided', { label: 'killed' })])
      await untilRunning(hub, 'killed')

      await hub.end('SIGKILL')
      await hub.startAgain()

      expect((await outcome)[0].status).toBe('rejected')
      expect(await client.callTool('hub_status')).toHaveProperty('version')
    })

    test('a call that ends within the grace period of a stopping hub is answered', async () => {
      await using client = await connect(hub.endpoint)
      const answer = client.callTool('test_until_stop', { label: 'grace' })
      await untilRunning(hub, 'grace')

      expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
      expect(await answer).toEqual({ words: 'in time' })
    })
  })
}
