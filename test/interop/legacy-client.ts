/** The guarantees for a legacy client, also when its network or the hub fails: no notice is lost or duplicated. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CuttingProxy } from '../harness/cutting-proxy.ts'
import { describeCommonRequests, patience, untilRunning, uri } from './every-client.ts'
import { type RestartableHub, startRestartableHub } from '../worlds/restartable-hub.ts'
import type { Connect, LegacyTestClient } from './test-client.ts'

export function describeLegacyClient(name: string, connect: Connect<LegacyTestClient>): void {
  describe(name, () => {
    let hub: RestartableHub
    beforeAll(async () => void (hub = await startRestartableHub()))
    beforeEach(() => hub.ensureRunning())
    afterAll(() => hub[Symbol.asyncDispose]())

    describeCommonRequests(name, connect, () => hub)

    const change = (...names: readonly string[]) => hub.call('test_change', { uris: names.map(uri) })

    test('a call whose stream is cut is resumed', async () => {
      await using client = await connect(hub.endpoint)
      const steps: number[] = []
      const answer = client.callTool('test_guided', { label: 'cut' }, { onProgress: (step) => steps.push(step) })
      await untilRunning(hub, 'cut')
      await hub.call('test_step', { label: 'cut' })
      await expect.poll(() => steps, patience).toEqual([1])

      hub.proxy.cut()
      await hub.call('test_step', { label: 'cut' })
      await expect.poll(() => steps, patience).toEqual([1, 2])
      hub.proxy.cut()
      await hub.call('test_finish', { label: 'cut', words: 'still here' })

      expect(await answer).toEqual({ words: 'still here' })
      expect(steps).toEqual([1, 2])
    })

    test('notices sent into a dead connection arrive after the reconnect, once and in order', async () => {
      await using client = await connect(hub.endpoint)
      await client.watch(['a', 'b', 'c', 'd', 'last'].map(uri))
      await change('a')
      await expect.poll(() => client.notices, patience).toEqual([uri('a')])

      hub.proxy.hold()
      await change('b')
      await change('c')
      hub.proxy.cut()
      await change('d')
      await expect.poll(() => client.notices, patience).toContain(uri('d'))

      await change('last')
      await expect.poll(() => client.notices, patience).toContain(uri('last'))
      expect(client.notices).toEqual(['a', 'b', 'c', 'd', 'last'].map(uri))
    })

    test('a client that is cut again before a new notice still resumes without a gap', async () => {
      await using client = await connect(hub.endpoint)
      await client.watch(['a', 'last'].map(uri))
      await change('a')
      await expect.poll(() => client.notices, patience).toEqual([uri('a')])

      for (const streams of [2, 3, 4]) {
        hub.proxy.cut()
        await expect.poll(client.streamsOpened, patience).toBe(streams)
      }
      await change('last')
      await expect.poll(() => client.notices, patience).toContain(uri('last'))
      expect(client.notices).toEqual(['a', 'last'].map(uri))
    })

    test('the first notice is not lost when it was sent into a dead connection', async () => {
      await using client = await connect(hub.endpoint)
      await client.watch(['first', 'last'].map(uri))
      await expect.poll(client.streamsOpened, patience).toBe(1)

      hub.proxy.hold()
      await change('first')
      hub.proxy.cut()
      await expect.poll(() => client.notices, patience).toContain(uri('first'))

      await change('last')
      await expect.poll(() => client.notices, patience).toContain(uri('last'))
      expect(client.notices).toEqual(['first', 'last'].map(uri))
    })

    test('a client that gave up its notice stream gets the missed notices when it opens the stream again', async () => {
      await using client = await connect(hub.endpoint, { retries: 0 })
      await client.watch(['sent', 'kept'].map(uri))
      await expect.poll(client.streamsOpened, patience).toBe(1)

      hub.proxy.hold()
      await change('sent') // into a dead connection, which the hub cannot detect
      hub.proxy.cut()
      await change('kept')
      await hub.end('SIGTERM')
      await hub.startAgain()
      await client.reopenNotices()

      await expect.poll(() => client.notices.toSorted(), patience).toEqual(['kept', 'sent'].map(uri))
    })

    test.each(['SIGTERM', 'SIGKILL'] as const)('the connection survives %s of the hub', async (signal) => {
      await using client = await connect(hub.endpoint)
      const connectionId = client.connectionId()
      await client.watch(['before', 'between', 'after', 'last'].map(uri))
      await change('before')
      await expect.poll(() => client.notices, patience).toEqual([uri('before')])

      const exit = await hub.end(signal)
      await hub.startAgain()
      await change('between')
      await expect.poll(() => client.notices, patience).toContain(uri('between'))

      expect(exit).toEqual(signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal })
      expect(await client.callTool('hub_status')).toHaveProperty('version')
      expect(client.connectionId()).toBe(connectionId)
      await change('after')
      await change('last')
      await expect.poll(() => client.notices, patience).toContain(uri('last'))
      expect(client.notices).toEqual(['before', 'between', 'after', 'last'].map(uri))
    })

    test.each([
      ['while its client had a stream', () => {}],
      ['while its client had no stream', (proxy: CuttingProxy) => proxy.refuse()],
    ])('a change that was answered %s is reported, although the hub is killed at once', async (_, before) => {
      await using client = await connect(hub.endpoint)
      await client.watch([uri('answered')])
      await expect.poll(client.streamsOpened, patience).toBe(1)

      before(hub.proxy)
      await change('answered')
      await hub.end('SIGKILL')
      await hub.startAgain()
      await expect.poll(client.streamsOpened, patience).toBe(2)
      await expect.poll(() => client.notices, patience).toEqual([uri('answered')])
    })

    test('a call that ran when the hub was killed gets an error: its outcome is unknown', async () => {
      await using client = await connect(hub.endpoint)
      const steps: number[] = []
      const outcome = Promise.allSettled([
        client.callTool('test_guided', { label: 'killed' }, { onProgress: (step) => steps.push(step) }),
      ])
      await untilRunning(hub, 'killed')
      await hub.call('test_step', { label: 'killed' })
      await expect.poll(() => steps, patience).toEqual([1])

      await hub.end('SIGKILL')
      await hub.startAgain()

      expect(await outcome).toEqual([
        {
          status: 'rejected',
          reason: expect.objectContaining({ message: expect.stringMatching(/outcome .*unknown/i) }),
        },
      ])
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
