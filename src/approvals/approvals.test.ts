import { expect, test } from 'vitest'
import {
  addSession,
  ann,
  ask,
  bob,
  createApprovalWorld,
  pendingId,
  requestOf,
  setStatus,
} from '../../test/fixtures/approval-world.ts'
import { until } from '../../test/fixtures/until.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Store } from '../store/store.ts'
import type { Answer, Approvals, ApprovalsOptions } from './approvals.ts'

const once = { scope: 'once' } as const
const approve: Answer = { decision: 'approve', ...once }
const deny: Answer = { decision: 'deny', reason: 'not today', ...once }

/** One session, one hub. */
async function useHub(store: Store, options: Partial<ApprovalsOptions> = {}) {
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const approvals = await world.start(store, options)
  return { ...world, session, approvals, request: requestOf(session) }
}

async function statusOf(approvals: Approvals, id: string): Promise<string> {
  return (await approvals.find(id)).status
}

describeOnEachEngine('a call that must ask', (open) => {
  test('goes through once it is approved, and the approval is used up before the caller hears of it', async () => {
    await using opened = await open()
    const { approvals, request, events, session } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    const decided = await approvals.decide(id, approve, ann)
    expect(decided).toMatchObject({ status: 'approved', decidedBy: 'ann' })
    expect(await call.outcome).toEqual({ is: 'approved', id })
    expect(await statusOf(approvals, id)).toBe('consumed')
    expect(events.map(({ type, correlation }) => [type, correlation])).toEqual([
      ['approval-requested', 'c1'],
      ['approval-decided', 'c1'],
      ['approval-consumed', 'c1'],
    ])
    expect(events[1]).toMatchObject({
      session,
      payload: { approval: id, by: 'ann', token_id: 'token-of-ann', status: 'approved' },
    })
  })

  test('has everything that becomes of it told below its own event, also by the next hub', async () => {
    await using opened = await open()
    const { approvals, request, events, session, start } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, { ...request, parent: 'e1' }).outcome
    const { id: left } = await ask(approvals, requestOf(session, { arguments: {}, parent: 'e2' })).outcome
    const next = await start(await opened.reopen(), { holdMs: 0 })
    await next.decide(id, { decision: 'approve', scope: 'session' }, ann)
    // It comes again as another call, and is still about what the first one asked.
    await ask(next, { ...request, parent: 'e3' }).outcome
    await next.abandonOf(session)
    expect(events.filter(({ type }) => type !== 'grant-revoked').map(({ type, parent }) => [type, parent])).toEqual([
      ['approval-requested', 'e1'],
      ['approval-requested', 'e2'],
      ['approval-decided', 'e1'],
      ['grant-made', 'e1'],
      ['approval-consumed', 'e1'],
      ['approval-abandoned', 'e2'],
    ])
    expect(await statusOf(next, left)).toBe('abandoned')
  })

  test.each(['deny', 'abort'] as const)('does not go through after %s', async (decision) => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    await approvals.decide(id, { decision, reason: 'no', ...once }, ann)
    const is = decision === 'deny' ? 'denied' : 'aborted'
    expect(await call.outcome).toEqual({ is, id, reason: 'no' })
    expect(await statusOf(approvals, id)).toBe(is)
  })

  test('asks anew once its denial was heard', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const first = ask(approvals, request)
    await approvals.decide(await pendingId(approvals), deny, ann)
    const denied = await first.outcome
    ask(approvals, request)
    expect(await pendingId(approvals)).not.toBe(denied.id)
  })

  test('is told to come back when its hold ends, and goes on waiting for the same answer', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const waiting = await ask(approvals, request).outcome
    expect(waiting).toEqual({ is: 'waiting', id: waiting.id, expiresAt: '2026-01-01T01:00:00.000Z' })
    expect(await ask(approvals, request).outcome).toEqual(waiting)
    await approvals.decide(waiting.id, approve, ann)
    expect(await ask(approvals, request).outcome).toEqual({ is: 'approved', id: waiting.id })
    const again = await ask(approvals, request).outcome
    expect(again.is).toBe('waiting')
    expect(again.id).not.toBe(waiting.id)
  })

  test('hears a denial that was given while nobody waited, once', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, deny, ann)
    expect(await ask(approvals, request).outcome).toEqual({ is: 'denied', id, reason: 'not today' })
    const anew = await ask(approvals, request).outcome
    expect(anew.is).toBe('waiting')
    expect(anew.id).not.toBe(id)
  })

  test('is another one with other arguments, another tool or in another session', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const other = await addSession(opened.store, 'other')
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, ann)
    for (const changed of [
      { arguments: { repo: 'main', title: 'It broke.' } },
      { arguments: { repo: 'main' } },
      { tool: 'github_create_issues' },
      { session: other },
    ]) {
      expect((await ask(approvals, { ...request, ...changed }).outcome).is).toBe('waiting')
    }
    const reordered = { title: 'It broke', repo: 'main' }
    expect(await ask(approvals, { ...request, arguments: reordered }).outcome).toEqual({ is: 'approved', id })
  })

  test('asks anew under another policy, and what was approved under the old one is abandoned', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, ann)
    const anew = await ask(approvals, { ...request, policyVersion: 'hub@2' }).outcome
    expect(anew.is).toBe('waiting')
    expect(await statusOf(approvals, id)).toBe('abandoned')
    expect((await ask(approvals, request).outcome).id).not.toBe(id)
  })

  test('whose caller leaves is abandoned, and an answer that comes later is told so', async () => {
    await using opened = await open()
    const { approvals, request, events } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    call.leave()
    expect(await call.outcome).toEqual({ is: 'abandoned', id })
    await expect(approvals.decide(id, approve, ann)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is abandoned'),
    })
    expect(events.at(-1)?.type).toBe('approval-abandoned')
    const again = ask(approvals, request)
    expect(await pendingId(approvals)).not.toBe(id)
    again.leave()
    expect((await again.outcome).is).toBe('abandoned')
  })

  test('whose caller left before it could ask asks nobody', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(approvals.obtain(request, { signal, progress: () => {} })).rejects.toThrow('gone')
    expect(await approvals.list({ limit: 10 })).toEqual([])
  })

  test('does not go through if its caller leaves at the moment of the answer, whichever comes first', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store)
    for (let count = 0; count < 20; count++) {
      const call = ask(approvals, requestOf(session, { arguments: { count } }))
      const id = await pendingId(approvals)
      const deciding = approvals.decide(id, approve, ann).catch(() => {})
      for (let turn = 0; turn < count; turn++) await Promise.resolve()
      call.leave()
      await deciding
      const { is } = await call.outcome
      expect([is, await statusOf(approvals, id)]).toEqual(['abandoned', 'abandoned'])
    }
  })

  test('does not go through if its caller leaves when the approval is used up, but nothing has run yet', async () => {
    await using opened = await open()
    let leave = () => {}
    const events: ApprovalsOptions['events'] = {
      async append(event) {
        if (event.type === 'approval-consumed') leave()
        return { ...event, seq: 0, id: '', at: '' }
      },
    }
    const { approvals, request } = await useHub(opened.store, { events })
    const call = ask(approvals, request)
    leave = call.leave
    const id = await pendingId(approvals)
    await approvals.decide(id, approve, ann)
    expect(await call.outcome).toEqual({ is: 'abandoned', id })
    expect(await statusOf(approvals, id)).toBe('abandoned')
  })

  test('shares its approval with an equal call: a denial answers both', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const calls = [ask(approvals, request), ask(approvals, request)]
    const id = await pendingId(approvals)
    await until(() => calls.every(({ messages }) => messages.length > 0))
    expect(await approvals.list({ limit: 10 })).toHaveLength(1)
    await approvals.decide(id, deny, ann)
    for (const call of calls) expect(await call.outcome).toMatchObject({ is: 'denied', id })
  })

  test('shares its approval with an equal call: an approval lets one through, and the other asks anew', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const calls = [ask(approvals, request), ask(approvals, request)]
    await until(() => calls.every(({ messages }) => messages.length > 0))
    const first = await pendingId(approvals)
    await approvals.decide(first, approve, ann)
    const second = await until(async () => (await pendingId(approvals)) !== first && pendingId(approvals))
    await approvals.decide(second, deny, ann)
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome))
    expect(outcomes).toContainEqual({ is: 'approved', id: first })
    expect(outcomes).toContainEqual({ is: 'denied', id: second, reason: 'not today' })
  })

  test('goes on waiting when an equal call is cancelled', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const [leaving, staying] = [ask(approvals, request), ask(approvals, request)]
    await until(() => [leaving, staying].every(({ messages }) => messages.length > 0))
    const id = await pendingId(approvals)
    leaving.leave()
    expect(await leaving.outcome).toEqual({ is: 'abandoned', id })
    await approvals.decide(id, approve, ann)
    expect(await staying.outcome).toEqual({ is: 'approved', id })
  })

  test('is denied by time while it is held', async () => {
    await using opened = await open()
    const { approvals, request, pass } = await useHub(opened.store)
    const held = ask(approvals, request)
    const id = await pendingId(approvals)
    pass(3_600_000)
    await approvals.sweep()
    expect(await held.outcome).toEqual({ is: 'expired', id })
  })

  test('cannot be approved after its time', async () => {
    await using opened = await open()
    const { approvals, request, pass } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    pass(3_599_999)
    await approvals.preview(id, approve)
    pass(1)
    await expect(approvals.decide(id, approve, ann)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('expired at 2026-01-01T01:00:00.000Z'),
    })
  })

  test('that was approved cannot use it after its time', async () => {
    await using opened = await open()
    const { approvals, request, pass, events } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, ann)
    pass(3_600_000)
    expect(await ask(approvals, request).outcome).toEqual({ is: 'expired', id })
    expect(events.at(-1)?.type).toBe('approval-expired')
    expect((await ask(approvals, request).outcome).is).toBe('waiting')
  })

  test('hears that its time was up, once, if it comes back later', async () => {
    await using opened = await open()
    const { approvals, request, pass } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    pass(3_600_000)
    await approvals.sweep()
    expect(await statusOf(approvals, id)).toBe('expired')
    expect(await ask(approvals, request).outcome).toEqual({ is: 'expired', id })
    expect((await ask(approvals, request).outcome).is).toBe('waiting')
  })

  test('ends by itself when its time is up while it is held', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { expiryMs: 200, now: () => new Date() })
    expect((await ask(approvals, request).outcome).is).toBe('expired')
  })

  test('is abandoned with its session, also by a hub that was not there when it ended', async () => {
    await using opened = await open()
    const { approvals, request, session, start } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    await approvals.abandonOf(session)
    expect(await call.outcome).toEqual({ is: 'abandoned', id })

    const { id: missed } = await ask(await start(opened.store, { holdMs: 0 }), request).outcome
    await setStatus(opened.store, session, 'failed')
    const next = await start(opened.store)
    expect(await statusOf(next, missed)).toBe('abandoned')
  })

  test('is abandoned when its session is removed', async () => {
    await using opened = await open()
    const { approvals, request, session } = await useHub(opened.store)
    const call = ask(approvals, request)
    await pendingId(approvals)
    await opened.store.db.deleteFrom('sessions').where('id', '=', session).execute()
    approvals.endHolds()
    expect((await call.outcome).is).toBe('abandoned')
  })

  test('is shown to be alive while it waits, and is told for what', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { signOfLifeMs: 5 })
    const { messages, leave } = ask(approvals, request)
    const id = await pendingId(approvals)
    await until(() => messages.length >= 3)
    expect(new Set(messages)).toEqual(new Set([`waiting for approval ${id}`]))
    leave()
  })

  test('is told to come back when the hub stops, and its approval can still be used at the next', async () => {
    await using opened = await open()
    const { approvals, request, start } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    approvals.endHolds()
    expect(await call.outcome).toMatchObject({ is: 'waiting', id })
    await approvals[Symbol.asyncDispose]()
    const next = await start(await opened.reopen())
    await next.decide(id, approve, ann)
    expect(await ask(next, request).outcome).toEqual({ is: 'approved', id })
  })
})

describeOnEachEngine('an answer', (open) => {
  test('counts once: of fifty people one wins, and the others are told who, what and when', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    const people = Array.from({ length: 50 }, (_, index) => ({ ...ann, label: `person ${index}` }))
    const answers = await Promise.allSettled(
      people.map((person, index) => approvals.decide(id, index % 2 ? approve : deny, person)),
    )
    const winners = answers.filter(({ status }) => status === 'fulfilled')
    expect(winners).toHaveLength(1)
    const { decidedBy, status } = await approvals.find(id)
    expect(decidedBy).toMatch(/^person \d+$/)
    expect((await call.outcome).is).toBe(status === 'denied' ? 'denied' : 'approved')
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(String(answer.reason)).toMatch(new RegExp(`by ${decidedBy} at 2026-01-01T00:00:00.000Z`))
    }
  })

  test('to what is not there says where the ids are', async () => {
    await using opened = await open()
    const { approvals } = await useHub(opened.store)
    await expect(approvals.decide('nope', approve, ann)).rejects.toThrow('list_approvals')
  })

  test('given before a crash is used by the same call at the next hub, once', async () => {
    await using opened = await open()
    const { approvals, request, start } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, bob)
    // The first hub is not heard of again, like one that was killed.
    const next = await start(await opened.reopen(), { holdMs: 0 })
    expect(await ask(next, request).outcome).toEqual({ is: 'approved', id })
    expect((await ask(next, request).outcome).is).toBe('waiting')
  })

  test('lets one of fifty equal calls through for each time it is given', async () => {
    await using opened = await open()
    const { approvals, request, events } = await useHub(opened.store)
    const calls = Array.from({ length: 50 }, () => ask(approvals, request))
    const approved = new Set<string>()
    for (let count = 0; count < 3; count++) {
      const id = await until(async () => {
        const pending = await pendingId(approvals)
        return !approved.has(pending) && pending
      })
      await approvals.decide(id, approve, ann)
      approved.add(id)
    }
    const last = await until(async () => {
      const pending = await pendingId(approvals)
      return !approved.has(pending) && pending
    })
    await until(async () => events.filter(({ type }) => type === 'approval-consumed').length === 3)
    for (const call of calls) call.leave()
    const passed = await Promise.all(calls.map((call) => call.passed()))
    expect(passed.filter((id) => id !== undefined).toSorted()).toEqual([...approved].toSorted())
    expect(await statusOf(approvals, last)).toBe('abandoned')
  })

  test('is for exactly the secrets of the call, though they are neither in the store nor in events', async () => {
    await using opened = await open()
    const { approvals, session, events } = await useHub(opened.store, { holdMs: 0 })
    const withPassword = (password: string) => requestOf(session, { arguments: { user: 'ann', password } })
    const { id } = await ask(approvals, withPassword('hunter2-hunter2')).outcome
    await approvals.decide(id, { ...approve, reason: 'password=hunter2-hunter2 is fine' }, ann)
    expect((await ask(approvals, withPassword('hunter2-hunter3')).outcome).is).toBe('waiting')
    expect(await ask(approvals, withPassword('hunter2-hunter2')).outcome).toEqual({ is: 'approved', id })
    const rows = await opened.store.db.selectFrom('approvals').selectAll().execute()
    expect(JSON.stringify([rows, events])).not.toContain('hunter2')
    expect(JSON.stringify(rows)).toContain('[redacted]')
  })

  test('is given to what the call really says, whatever in it looks like a secret', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store, { holdMs: 0 })
    const args = { path: `echo "token: '"; rm -rf / #`, note: 'ls # [redacted]', password: 'hunter2-hunter2' }
    const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
    expect(await approvals.find(id)).toMatchObject({
      arguments: { ...args, password: '[redacted]' },
      hidden: [{ at: '/password', characters: 15 }],
    })
  })

  test('leaves what the call said in the store, however large it is', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store, { holdMs: 0 })
    const args = { text: 'y'.repeat(100_000), end: 'rm -rf /' }
    const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
    await approvals.decide(id, approve, ann)
    expect((await ask(approvals, requestOf(session, { arguments: args })).outcome).is).toBe('approved')
    expect(await approvals.find(id)).toMatchObject({ status: 'consumed', arguments: args, leftOutBytes: 0 })
  })
})
