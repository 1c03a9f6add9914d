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
} from '../../test/worlds/approval-world.ts'
import { until } from '../../test/fixtures/until.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Store } from '../store/store.ts'
import type { Approvals } from './approval.ts'
import type { Answer, ApprovalsOptions } from './approvals.ts'

const once = { scope: 'once' } as const
const approve: Answer = { decision: 'approve', ...once }
const deny: Answer = { decision: 'deny', reason: 'not today', ...once }

/** Starts one hub with one session. */
async function useHub(store: Store, options: Partial<ApprovalsOptions> = {}) {
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const approvals = await world.start(store, options)
  return { ...world, session, approvals, request: requestOf(session) }
}

async function statusOf(approvals: Approvals, id: string): Promise<string> {
  return (await approvals.find(id)).status
}

describeOnEachEngine('a call that needs approval', (open) => {
  test('the call goes through once it is approved, and the approval is consumed before the caller learns of it', async () => {
    await using opened = await open()
    const { approvals, request, events, session } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    const decided = await approvals.decide(id, approve, ann)
    expect(decided).toMatchObject({ status: 'approved', decidedBy: 'ann' })
    expect(await call.outcome).toEqual({ status: 'approved', id })
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

  test('all events of an approval have the event of its call as parent, also after a restart of the hub', async () => {
    await using opened = await open()
    const { approvals, request, events, session, start } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, { ...request, parent: 'e1' }).outcome
    const { id: left } = await ask(approvals, requestOf(session, { arguments: {}, parent: 'e2' })).outcome
    const next = await start(await opened.reopen(), { holdMs: 0 })
    await next.decide(id, { decision: 'approve', scope: 'session' }, ann)
    // The agent repeats the call. Its events still belong to the first call.
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

  test.each(['deny', 'abort'] as const)('the call does not go through after %s', async (decision) => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    await approvals.decide(id, { decision, reason: 'no', ...once }, ann)
    const status = decision === 'deny' ? 'denied' : 'aborted'
    expect(await call.outcome).toEqual({ status, id, reason: 'no' })
    expect(await statusOf(approvals, id)).toBe(status)
  })

  test('the call asks again after it received a denial', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const first = ask(approvals, request)
    await approvals.decide(await pendingId(approvals), deny, ann)
    const denied = await first.outcome
    ask(approvals, request)
    expect(await pendingId(approvals)).not.toBe(denied.id)
  })

  test('the call is told to come back when its hold ends, and a repeated call waits for the same approval', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const waiting = await ask(approvals, request).outcome
    expect(waiting).toEqual({ status: 'pending', id: waiting.id, expiresAt: '2026-01-01T01:00:00.000Z' })
    expect(await ask(approvals, request).outcome).toEqual(waiting)
    await approvals.decide(waiting.id, approve, ann)
    expect(await ask(approvals, request).outcome).toEqual({ status: 'approved', id: waiting.id })
    const again = await ask(approvals, request).outcome
    expect(again.status).toBe('pending')
    expect(again.id).not.toBe(waiting.id)
  })

  test('a denial given while no call waits reaches the next equal call, once', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, deny, ann)
    expect(await ask(approvals, request).outcome).toEqual({ status: 'denied', id, reason: 'not today' })
    const repeated = await ask(approvals, request).outcome
    expect(repeated.status).toBe('pending')
    expect(repeated.id).not.toBe(id)
  })

  test('a call with other arguments, another tool or another session needs its own approval', async () => {
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
      expect((await ask(approvals, { ...request, ...changed }).outcome).status).toBe('pending')
    }
    const reordered = { title: 'It broke', repo: 'main' }
    expect(await ask(approvals, { ...request, arguments: reordered }).outcome).toEqual({ status: 'approved', id })
  })

  test('a call under a new policy asks again, and the approval under the old one is abandoned', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, ann)
    const repeated = await ask(approvals, { ...request, policyVersion: 'hub@2' }).outcome
    expect(repeated.status).toBe('pending')
    expect(await statusOf(approvals, id)).toBe('abandoned')
    expect((await ask(approvals, request).outcome).id).not.toBe(id)
  })

  test('a call whose caller leaves is abandoned, and a later answer is refused with that reason', async () => {
    await using opened = await open()
    const { approvals, request, events } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    call.leave()
    expect(await call.outcome).toEqual({ status: 'abandoned', id })
    await expect(approvals.decide(id, approve, ann)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is abandoned'),
    })
    expect(events.at(-1)?.type).toBe('approval-abandoned')
    const again = ask(approvals, request)
    expect(await pendingId(approvals)).not.toBe(id)
    again.leave()
    expect((await again.outcome).status).toBe('abandoned')
  })

  test('a call whose caller left before it could ask creates no approval', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(approvals.obtain(request, { signal, progress: () => {} })).rejects.toThrow('gone')
    expect(await approvals.list({ limit: 10 })).toEqual([])
  })

  test('the call does not go through if its caller leaves at the moment of the answer, in either order', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store)
    for (let count = 0; count < 20; count++) {
      const call = ask(approvals, requestOf(session, { arguments: { count } }))
      const id = await pendingId(approvals)
      const deciding = approvals.decide(id, approve, ann).catch(() => {})
      for (let turn = 0; turn < count; turn++) await Promise.resolve()
      call.leave()
      await deciding
      const { status } = await call.outcome
      expect([status, await statusOf(approvals, id)]).toEqual(['abandoned', 'abandoned'])
    }
  })

  test('the call does not go through if its caller leaves after the approval is consumed but before the tool runs', async () => {
    await using opened = await open()
    let leave = () => {}
    const events: ApprovalsOptions['events'] = {
      async append(event) {
        if (event.type === 'approval-consumed') leave()
        return { ...event, seq: 0, id: '', at: '' }
      },
      async note() {},
    }
    const { approvals, request } = await useHub(opened.store, { events })
    const call = ask(approvals, request)
    leave = call.leave
    const id = await pendingId(approvals)
    await approvals.decide(id, approve, ann)
    expect(await call.outcome).toEqual({ status: 'abandoned', id })
    expect(await statusOf(approvals, id)).toBe('abandoned')
  })

  test('a denial answers both of two equal calls', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const calls = [ask(approvals, request), ask(approvals, request)]
    const id = await pendingId(approvals)
    await until(() => calls.every(({ messages }) => messages.length > 0))
    expect(await approvals.list({ limit: 10 })).toHaveLength(1)
    await approvals.decide(id, deny, ann)
    for (const call of calls) expect(await call.outcome).toMatchObject({ status: 'denied', id })
  })

  test('an approval lets one of two equal calls through, and the other asks again', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const calls = [ask(approvals, request), ask(approvals, request)]
    await until(() => calls.every(({ messages }) => messages.length > 0))
    const first = await pendingId(approvals)
    await approvals.decide(first, approve, ann)
    const second = await until(async () => (await pendingId(approvals)) !== first && pendingId(approvals))
    await approvals.decide(second, deny, ann)
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome))
    expect(outcomes).toContainEqual({ status: 'approved', id: first })
    expect(outcomes).toContainEqual({ status: 'denied', id: second, reason: 'not today' })
  })

  test('a call keeps waiting when an equal call is cancelled', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store)
    const [leaving, staying] = [ask(approvals, request), ask(approvals, request)]
    await until(() => [leaving, staying].every(({ messages }) => messages.length > 0))
    const id = await pendingId(approvals)
    leaving.leave()
    expect(await leaving.outcome).toEqual({ status: 'abandoned', id })
    await approvals.decide(id, approve, ann)
    expect(await staying.outcome).toEqual({ status: 'approved', id })
  })

  test('a held call expires when its time is up', async () => {
    await using opened = await open()
    const { approvals, request, pass } = await useHub(opened.store)
    const held = ask(approvals, request)
    const id = await pendingId(approvals)
    pass(3_600_000)
    await approvals.sweep()
    expect(await held.outcome).toEqual({ status: 'expired', id })
  })

  test('an expired approval cannot be approved', async () => {
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

  test('an approved call cannot use its approval after it has expired', async () => {
    await using opened = await open()
    const { approvals, request, pass, events } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, ann)
    pass(3_600_000)
    expect(await ask(approvals, request).outcome).toEqual({ status: 'expired', id })
    expect(events.at(-1)?.type).toBe('approval-expired')
    expect((await ask(approvals, request).outcome).status).toBe('pending')
  })

  test('an approval does not last longer when the clock is set back', async () => {
    await using opened = await open()
    let elapsed = 0
    const elapsedMs = () => elapsed
    const { approvals, request, pass, start } = await useHub(opened.store, { holdMs: 0, elapsedMs })
    const { id } = await ask(approvals, request).outcome
    const left = await ask(approvals, { ...request, tool: 'left_open' }).outcome
    await approvals.decide(id, approve, ann)
    const next = await start(opened.store, { holdMs: 0, elapsedMs })
    pass(-3_600_000)
    elapsed += 3_599_999
    expect(await statusOf(next, left.id)).toBe('pending')
    elapsed += 1
    await expect(approvals.decide(left.id, approve, ann)).rejects.toMatchObject({ code: 'conflict' })
    expect(await ask(approvals, request).outcome).toEqual({ status: 'expired', id })
    await next.sweep()
    expect(await statusOf(next, left.id)).toBe('expired')
  })

  test('a call that comes back after the expiry is told so, once', async () => {
    await using opened = await open()
    const { approvals, request, pass } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    pass(3_600_000)
    await approvals.sweep()
    expect(await statusOf(approvals, id)).toBe('expired')
    expect(await ask(approvals, request).outcome).toEqual({ status: 'expired', id })
    expect((await ask(approvals, request).outcome).status).toBe('pending')
  })

  test('a held call ends by itself when its approval expires', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { expiryMs: 200, now: () => new Date() })
    expect((await ask(approvals, request).outcome).status).toBe('expired')
  })

  test('an approval is abandoned when its session ends, also by a hub that starts later', async () => {
    await using opened = await open()
    const { approvals, request, session, start } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    await approvals.abandonOf(session)
    expect(await call.outcome).toEqual({ status: 'abandoned', id })

    const { id: missed } = await ask(await start(opened.store, { holdMs: 0 }), request).outcome
    await setStatus(opened.store, session, 'failed')
    const next = await start(opened.store)
    expect(await statusOf(next, missed)).toBe('abandoned')
  })

  test('the call is abandoned when its session is removed', async () => {
    await using opened = await open()
    const { approvals, request, session } = await useHub(opened.store)
    const call = ask(approvals, request)
    await pendingId(approvals)
    await opened.store.db.deleteFrom('sessions').where('id', '=', session).execute()
    approvals.endHolds()
    expect((await call.outcome).status).toBe('abandoned')
  })

  test('a waiting call gets progress messages that name its approval', async () => {
    await using opened = await open()
    const { approvals, request } = await useHub(opened.store, { heartbeatMs: 5 })
    const { messages, leave } = ask(approvals, request)
    const id = await pendingId(approvals)
    await until(() => messages.length >= 3)
    expect(new Set(messages)).toEqual(new Set([`waiting for approval ${id}`]))
    leave()
  })

  test('a call is told to come back when the hub stops, and its approval can be used at the next hub', async () => {
    await using opened = await open()
    const { approvals, request, start } = await useHub(opened.store)
    const call = ask(approvals, request)
    const id = await pendingId(approvals)
    approvals.endHolds()
    expect(await call.outcome).toMatchObject({ status: 'pending', id })
    await approvals[Symbol.asyncDispose]()
    const next = await start(await opened.reopen())
    await next.decide(id, approve, ann)
    expect(await ask(next, request).outcome).toEqual({ status: 'approved', id })
  })
})

describeOnEachEngine('an answer to an approval', (open) => {
  test('one of fifty answers counts, and the other people are told who answered and when', async () => {
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
    expect((await call.outcome).status).toBe(status === 'denied' ? 'denied' : 'approved')
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(String(answer.reason)).toMatch(new RegExp(`by ${decidedBy} at 2026-01-01T00:00:00.000Z`))
    }
  })

  test('an answer to an unknown approval is refused with a hint at list_approvals', async () => {
    await using opened = await open()
    const { approvals } = await useHub(opened.store)
    await expect(approvals.decide('nope', approve, ann)).rejects.toThrow('list_approvals')
  })

  test('an answer given before a crash is used once by the same call at the next hub', async () => {
    await using opened = await open()
    const { approvals, request, start } = await useHub(opened.store, { holdMs: 0 })
    const { id } = await ask(approvals, request).outcome
    await approvals.decide(id, approve, bob)
    // The first hub stays silent from here on, as if it had been killed.
    const next = await start(await opened.reopen(), { holdMs: 0 })
    expect(await ask(next, request).outcome).toEqual({ status: 'approved', id })
    expect((await ask(next, request).outcome).status).toBe('pending')
  })

  test('each approval lets exactly one of fifty equal calls through', async () => {
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

  test('an answer applies only to the exact secrets of the call, although neither the store nor the events contain them', async () => {
    await using opened = await open()
    const { approvals, session, events } = await useHub(opened.store, { holdMs: 0 })
    const withPassword = (password: string) => requestOf(session, { arguments: { user: 'ann', password } })
    const { id } = await ask(approvals, withPassword('hunter2-hunter2')).outcome
    await approvals.decide(id, { ...approve, reason: 'password=hunter2-hunter2 is fine' }, ann)
    expect((await ask(approvals, withPassword('hunter2-hunter3')).outcome).status).toBe('pending')
    expect(await ask(approvals, withPassword('hunter2-hunter2')).outcome).toEqual({ status: 'approved', id })
    const rows = await opened.store.db.selectFrom('approvals').selectAll().execute()
    expect(JSON.stringify([rows, events])).not.toContain('hunter2')
    expect(JSON.stringify(rows)).toContain('[redacted]')
  })

  test('the approval shows the real arguments even where they look like secrets', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store, { holdMs: 0 })
    const args = { path: `echo "token: '"; rm -rf / #`, note: 'ls # [redacted]', password: 'hunter2-hunter2' }
    const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
    expect(await approvals.find(id)).toMatchObject({
      arguments: { ...args, password: '[redacted]' },
      hidden: [{ at: '/password', characters: 15 }],
    })
  })

  test('the store keeps large arguments whole until the approval is used', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store, { holdMs: 0 })
    const args = { text: 'y'.repeat(100_000), end: 'rm -rf /' }
    const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
    await approvals.decide(id, approve, ann)
    expect(await approvals.find(id)).toMatchObject({ status: 'approved', arguments: args, leftOutBytes: 0 })
    expect((await ask(approvals, requestOf(session, { arguments: args })).outcome).status).toBe('approved')
    expect(await statusOf(approvals, id)).toBe('consumed')
  })
})
