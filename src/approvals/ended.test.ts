/** Ended approvals keep only a part of their data. */
import { expect, test } from 'vitest'
import { addSession, ann, ask, createApprovalWorld, pendingId, requestOf } from '../../test/worlds/approval-world.ts'
import { until } from '../../test/fixtures/until.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Store } from '../store/store.ts'
import type { Answer } from './approvals.ts'

const deny: Answer = { decision: 'deny', scope: 'once' }
const large = { text: 'x'.repeat(100_000) }

async function useHub(store: Store, maxEndedBytes?: number) {
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const approvals = await world.start(store, maxEndedBytes === undefined ? {} : { maxEndedBytes })
  const stored = () => store.db.selectFrom('approvals').selectAll().orderBy('revision').execute()
  return { session, approvals, stored }
}

describeOnEachEngine('an approval that has ended', (open) => {
  test('an ended approval keeps its digest and an excerpt of its arguments', async () => {
    await using opened = await open()
    const { approvals, session, stored } = await useHub(opened.store)
    const call = ask(approvals, requestOf(session, { arguments: large }))
    const id = await pendingId(approvals)
    const waiting = await approvals.find(id)
    expect(waiting.arguments).toEqual(large)
    await approvals.decide(id, deny, ann)
    await call.outcome
    const ended = await approvals.find(id)
    expect(ended).toMatchObject({ status: 'denied', digest: waiting.digest })
    expect(String(ended.arguments['text'])).toMatch(/^x{3000,4000}$/)
    expect(ended.leftOutBytes).toBeGreaterThan(95_000)
    expect(JSON.stringify(await stored()).length).toBeLessThan(10_000)
  })

  test('an approval whose call was cancelled keeps only an excerpt too', async () => {
    await using opened = await open()
    const { approvals, session, stored } = await useHub(opened.store)
    const call = ask(approvals, requestOf(session, { arguments: large }))
    await pendingId(approvals)
    call.leave()
    await until(async () => (await stored())[0]?.status === 'abandoned')
    expect(JSON.stringify(await stored()).length).toBeLessThan(10_000)
  })

  test('the oldest ended approvals are deleted when all of them take too much space, and open ones stay', async () => {
    await using opened = await open()
    const { approvals, session, stored } = await useHub(opened.store, 20_000)
    const first = ask(approvals, requestOf(session, { tool: 'stays', arguments: large }))
    const firstId = await pendingId(approvals)
    const ids: string[] = []
    for (let count = 0; count < 10; count++) {
      const call = ask(approvals, requestOf(session, { tool: `tool_${count}`, arguments: large }))
      const found = async () =>
        (await approvals.list({ status: 'pending', limit: 10 })).find(({ id }) => id !== firstId)
      await until(async () => (await found()) !== undefined)
      ids.push((await found())!.id)
      await approvals.decide(ids.at(-1)!, deny, ann)
      await call.outcome
    }
    await approvals.sweep()
    const left = (await stored()).map(({ id }) => id)
    expect(left).toContain(firstId)
    expect(left.length).toBeGreaterThan(2)
    expect(left.length).toBeLessThan(7)
    const kept = left.filter((id) => id !== firstId)
    expect(kept).toEqual(ids.slice(-kept.length))
    first.leave()
  })
})
