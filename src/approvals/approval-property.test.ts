/** People, callers and hubs act in any order: a call goes through only if it was approved, and only once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { TestApprovals } from '../../test/worlds/approval-world.ts'
import { addSession, ann, ask, createApprovalWorld, requestOf } from '../../test/worlds/approval-world.ts'
import type { TestCall } from '../../test/worlds/approval-world.ts'
import { openStore } from '../store/store.ts'

type Step =
  | { readonly do: 'call'; readonly argument: number; readonly version: number }
  | { readonly do: 'answer'; readonly decision: 'approve' | 'deny' | 'abort'; readonly which: number }
  | { readonly do: 'leave'; readonly which: number }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'restart' | 'end-session' | 'settle' }

const small = fc.nat({ max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('call' as const), argument: small, version: fc.nat({ max: 1 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      decision: fc.constantFrom('approve' as const, 'approve' as const, 'deny' as const, 'abort' as const),
      which: small,
    }),
  },
  fc.record({ do: fc.constant('leave' as const), which: small }),
  fc.record({ do: fc.constant('pass' as const), minutes: fc.constantFrom(1, 30, 61) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  fc.record({ do: fc.constantFrom('restart' as const, 'end-session' as const) }),
)

test('an approval is used at most once, and only after a person approved it', async () => {
  const sqliteDir = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'))
  const store = await openStore({ sqliteDir })
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]()
    rmSync(sqliteDir, { recursive: true })
  })
  let sessions = 0

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const world = createApprovalWorld()
      const session = await addSession(store, `fix-${sessions++}`)
      const calls: TestCall[] = []
      const answers: Promise<unknown>[] = []
      const approved = new Set<string>()
      let hub = await world.start(store)

      for (const each of steps) {
        switch (each.do) {
          case 'call':
            calls.push(
              ask(hub, requestOf(session, { arguments: { n: each.argument }, policyVersion: `hub@${each.version}` })),
            )
            break
          case 'answer': {
            const pending = await hub.list({ status: 'pending', sessionId: session, limit: 10 })
            const one = pending[each.which % Math.max(1, pending.length)]
            if (!one) break
            // Not awaited: later steps may run before the decision.
            answers.push(
              hub.decide(one.id, { decision: each.decision, scope: 'once' }, ann).then(
                ({ id }) => each.decision === 'approve' && approved.add(id),
                () => {},
              ),
            )
            break
          }
          case 'leave':
            calls[each.which]?.leave()
            break
          case 'pass':
            world.pass(each.minutes * 60_000)
            break
          case 'settle':
            await hub.sweep()
            break
          case 'restart':
            hub = await restart(hub)
            break
          case 'end-session':
            await hub.abandonOf(session)
            break
        }
      }
      await Promise.all(answers)
      hub.endHolds()
      const used = (await Promise.all(calls.map((call) => call.passed()))).filter((id) => id !== undefined)
      expect(new Set(used).size).toBe(used.length)
      for (const id of used) {
        expect(approved).toContain(id)
        expect((await hub.find(id)).status).toBe('consumed')
      }
      const consumed = await hub.list({ status: 'consumed', sessionId: session, limit: 100 })
      expect(consumed.map(({ id }) => id).toSorted()).toEqual(used.toSorted())

      async function restart(before: TestApprovals): Promise<TestApprovals> {
        before.endHolds()
        return world.start(store)
      }
    }),
    { numRuns: 60 },
  )
})
