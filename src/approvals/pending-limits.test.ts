import { expect, test } from 'vitest'
import { addSession, ann, ask, createApprovalWorld, requestOf } from '../../test/worlds/approval-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Store } from '../store/store.ts'

async function useHub(store: Store) {
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const other = await addSession(store, 'other')
  const approvals = await world.start(store, { holdMs: 0 })
  const askWith = (args: Record<string, unknown>, of = session) =>
    ask(approvals, requestOf(of, { arguments: args })).outcome
  return { approvals, session, other, askWith }
}

describeOnEachEngine('limits on the pending calls of one session', (open) => {
  test('a session may have a hundred pending calls: one more is refused, repeated ones are not, and other sessions are unaffected', async () => {
    await using opened = await open()
    const { approvals, other, askWith } = await useHub(opened.store)
    const waiting = []
    for (let n = 0; n < 100; n++) waiting.push(await askWith({ n }))
    await expect(askWith({ n: 100 })).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('when some are answered'),
    })
    expect(await askWith({ n: 0 })).toEqual(waiting[0])
    expect((await askWith({ n: 0 }, other)).status).toBe('pending')
    await approvals.decide(waiting[1]!.id, { decision: 'deny', scope: 'once' }, ann)
    expect(await askWith({ n: 1 })).toMatchObject({ status: 'denied' })
    expect((await askWith({ n: 100 })).status).toBe('pending')
  })

  test('a session may have 16 MiB of pending arguments, or one larger call', async () => {
    await using opened = await open()
    const { approvals, askWith } = await useHub(opened.store)
    const large = await askWith({ text: 'ü'.repeat(9_000_000) })
    await expect(askWith({})).rejects.toMatchObject({ code: 'busy' })
    await approvals.decide(large.id, { decision: 'approve', scope: 'once' }, ann)
    expect((await askWith({})).status).toBe('pending')
  })

  test('of equal calls, which wait for one approval, a session may have two hundred waiting', async () => {
    await using opened = await open()
    const world = createApprovalWorld()
    const session = await addSession(opened.store, 'fix')
    const approvals = await world.start(opened.store)
    const calls = []
    for (let n = 0; n < 200; n++) {
      calls.push(ask(approvals, requestOf(session)))
      // PostgreSQL has few connections.
      if (n % 10 === 0) await approvals.list({ limit: 1 })
    }
    await expect(ask(approvals, requestOf(session)).outcome).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('200 calls of this session wait'),
    })
    for (const { leave } of calls) leave()
    await Promise.all(calls.map(({ outcome }) => outcome))
    expect(await approvals.list({ limit: 10 })).toMatchObject([{ status: 'abandoned' }])
  })

  test('a tool name that is too long for a person to read is refused', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store)
    const request = requestOf(session, { tool: `up_${'m'.repeat(1_000)}` })
    await expect(ask(approvals, request).outcome).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('at most 1000'),
    })
  })
})
