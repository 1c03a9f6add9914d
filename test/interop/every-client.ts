/** Tests that every client library must pass, in either era and over any transport. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RestartableHub } from '../worlds/restartable-hub.ts'
import type { Connect, TestClient } from './test-client.ts'

/** The part of a hub that these tests need. */
export interface HubToTest extends AsyncDisposable, Pick<RestartableHub, 'endpoint' | 'call'> {}

/** Several clients may share the hub: `name` keeps their calls and resources apart. */
export function describeCommonRequests(
  name: string,
  connect: Connect<Omit<TestClient, 'connectionId'>>,
  hub: () => HubToTest,
): void {
  describe('common requests', () => {
    let client: Omit<TestClient, 'connectionId'>
    beforeAll(async () => void (client = await connect(hub().endpoint)))
    afterAll(() => client[Symbol.asyncDispose]())

    test('the client connects, lists the tools, calls one and reads a resource', async () => {
      expect(await client.listTools()).toContain('hub_status')
      expect(await client.callTool('hub_status')).toHaveProperty('version')
      expect(await client.readText('test://static-text')).toBe('This is the content of the static text resource.')
    })

    test('the client gets each step of progress before the answer', async () => {
      const label = `${name} progress`
      const steps: number[] = []
      const answer = client.callTool('test_guided', { label }, { onProgress: (step) => steps.push(step) })
      await untilRunning(hub(), label)

      for (const step of [1, 2, 3]) {
        await hub().call('test_step', { label })
        await expect.poll(() => steps, patience).toContain(step)
      }
      await hub().call('test_finish', { label, words: 'all done' })

      expect(await answer).toEqual({ words: 'all done' })
      expect(steps).toEqual([1, 2, 3])
    })

    test.each([
      ['before its first message', 0],
      ['during its stream', 1],
    ])(
      'a call that is cancelled %s ends at the client, and aborts the signal of its tool',
      async (moment, stepCount) => {
        const label = `${name} ${moment}`
        const steps: number[] = []
        const cancel = new AbortController()
        const options = { onProgress: (step: number) => steps.push(step), signal: cancel.signal }
        const outcome = Promise.allSettled([client.callTool('test_guided', { label }, options)])
        await untilRunning(hub(), label)
        for (let step = 0; step < stepCount; step++) await hub().call('test_step', { label })
        await expect.poll(() => steps, patience).toHaveLength(stepCount)

        cancel.abort()

        expect((await outcome)[0].status).toBe('rejected')
        await expect.poll(() => hub().call('test_calls'), patience).toMatchObject(calls({ cancelled: label }))
      },
    )

    test('a subscriber gets one notice of a change, and can read the change', async () => {
      await using other = await connect(hub().endpoint)
      const [mine, theirs] = [uri(`${name}-mine`), uri(`${name}-theirs`)]
      await client.watch([mine])
      await other.watch([theirs])

      await hub().call('test_change', { uris: [mine, theirs, uri('unwatched')] })
      await expect.poll(() => client.notices, patience).toEqual([mine])
      await expect.poll(() => other.notices, patience).toEqual([theirs])
      expect(await client.readText(mine)).toBe('1')

      await hub().call('test_change', { uris: [mine] })
      await expect.poll(() => client.notices, patience).toEqual([mine, mine])
      expect(await client.readText(mine)).toBe('2')
      expect(other.notices).toEqual([theirs])
    })
  })
}

/** Resolves when a guided call has reached its tool. */
export async function untilRunning(hub: Pick<HubToTest, 'call'>, label: string): Promise<void> {
  await expect.poll(() => hub.call('test_calls'), patience).toMatchObject(calls({ running: label }))
}

/** Matches an answer of `test_calls` that contains this call. */
export function calls(label: { running: string } | { cancelled: string }): object {
  return Object.fromEntries(Object.entries(label).map(([kind, name]) => [kind, expect.arrayContaining([name])]))
}

/** For `expect.poll`: a generous timeout. The assertion ends as soon as it holds. */
export const patience = { timeout: 60_000, interval: 50 }

export function uri(name: string): string {
  return `test://counter/${name}`
}
