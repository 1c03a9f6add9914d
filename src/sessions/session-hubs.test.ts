/** Several hubs on one database: each has its own sessions and queue, and sees those of the others. */
import { expect, test } from 'vitest'
import { useWorld } from '../../test/worlds/session-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()

describeOnEachEngine('sessions of two hubs', (open) => {
  async function begin() {
    const world = useWorld(await open(), [], { jobConcurrency: 0 })
    return { here: world.sessions, elsewhere: world.start(world.store, { hubId: 'hub-2', jobConcurrency: 0 }) }
  }

  test('every hub lists a session, and only the hub that runs it can change it', async () => {
    const { here, elsewhere } = await begin()
    const { record } = await here.create({ name: 'mine', command: 'cat' }, signal)
    expect(await elsewhere.list({})).toMatchObject([{ id: record.id }])
    expect(elsewhere.describe(await elsewhere.find('mine'))).toMatchObject({
      status: 'running',
      activity: { is: 'unknown' },
    })
    for (const attempt of [
      () => elsewhere.kill(record, { remove: true }),
      () => elsewhere.update(record, { labels: ['mine'] }),
      () => terminalOf(elsewhere, record),
      () => elsewhere.subject('mine'),
      () => elsewhere.untilStarted(record, { timeoutMs: 0, signal }),
    ]) {
      await expect(attempt()).rejects.toThrow(/"mine" runs on another hub/)
    }
    await expect(elsewhere.create({ name: 'mine', command: 'cat' }, signal)).rejects.toThrow(/still alive/)
    expect(await here.find('mine')).toMatchObject({ status: 'running', labels: [] })
  })

  test('jobs wait in the queue of their own hub', async () => {
    const { here, elsewhere } = await begin()
    const spec = { template: 'script', command: 'true' }
    await here.enqueue({ name: 'a', ...spec }, 0)
    await elsewhere.enqueue({ name: 'b', ...spec }, 0)
    await here.enqueue({ name: 'c', ...spec }, 0)
    for (const hub of [here, elsewhere]) {
      const listed = (await hub.jobs.list({ status: 'queued', limit: 10 })).jobs.map(({ session, position }) => [
        session,
        position,
      ])
      expect(Object.fromEntries(listed)).toEqual({ a: 0, b: 0, c: 1 })
    }
  })
})
