/** Several hubs over one PostgreSQL. */
import { expect, inject, onTestFinished, test } from 'vitest'
import {
  addSession,
  ann,
  ask,
  bob,
  createApprovalWorld,
  pendingId,
  requestOf,
} from '../../test/worlds/approval-world.ts'
import { follow } from '../../test/fixtures/follow.ts'
import { until } from '../../test/fixtures/until.ts'
import { createDatabase, runSql } from '../../test/postgres.ts'
import { createNotices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'
import type { ApprovalsOptions } from './approvals.ts'

const approve = { decision: 'approve', scope: 'once' } as const

test('an answer at one hub lets a call through that another hub holds', async () => {
  const { one, two, request } = await useTwoHubs()
  const call = ask(one, request)
  const id = await pendingId(two)
  await two.decide(id, approve, bob)
  expect(await call.outcome).toEqual({ status: 'approved', id })
})

test('of fifty equal calls at two hubs, exactly as many go through as were approved, each once', async () => {
  const { one, two, request, events } = await useTwoHubs()
  const calls = Array.from({ length: 50 }, (_, index) => ask(index % 2 ? one : two, request))
  const seen = new Set<string>()
  while (seen.size < 5) {
    const id = await pendingId(one)
    if (seen.has(id)) continue
    seen.add(id)
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? one : two).decide(id, approve, ann)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await until(() => events.some(({ type, payload }) => type === 'approval-consumed' && payload['approval'] === id))
  }
  for (const call of calls) call.leave()
  const passed = await Promise.all(calls.map((call) => call.passed()))
  expect(passed.filter((id) => id !== undefined).toSorted()).toEqual([...seen].toSorted())
})

test('subscribers at one hub are notified of changes at another', async () => {
  const notices = createNotices()
  const heard = follow(notices, 'resource://approvals/pending', 'resource://sessions/fix/approvals')
  const { one, two, request } = await useTwoHubs({ one: { notices } })
  const waiting = one.wait({ timeoutMs: 30_000, signal: AbortSignal.timeout(60_000) })
  const call = ask(two, request)
  const { approvals, cursor } = await waiting
  expect(approvals.map(({ status }) => status)).toEqual(['pending'])
  await until(() => new Set(heard).size === 2)
  call.leave()
  const news = await one.wait({ since: cursor, timeoutMs: 30_000, signal: AbortSignal.timeout(60_000) })
  expect(news.approvals.map(({ status }) => status)).toEqual(['abandoned'])
})

test('a grant made at one hub applies at the others until any hub revokes it', async () => {
  const { one, two, request } = await useTwoHubs()
  const call = ask(one, request)
  const id = await pendingId(two)
  const { grantId } = await two.decide(id, { decision: 'approve', scope: 'session' }, ann)
  await call.outcome
  await until(async () => (await one.grantsOf(request.session)).length === 1)
  await one.revokeGrant(String(grantId), bob)
  expect(await one.grantsOf(request.session)).toEqual([])
  await until(async () => (await two.grantsOf(request.session)).length === 0)
})

test('a hub catches up on changes it missed while its connection for notices was broken', async () => {
  const { one, two, request, url } = await useTwoHubs()
  const call = ask(one, request)
  const id = await pendingId(two)
  await runSql(url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`)
  await two.decide(id, { decision: 'approve', scope: 'session' }, ann)
  expect(await call.outcome).toEqual({ status: 'approved', id })
  await until(async () => (await one.grantsOf(request.session)).length === 1)
})

test('a hub that receives no notices stops using a grant that was revoked at another hub', async () => {
  const { one, two, request } = await useTwoHubs({ isDeaf: true })
  const call = ask(two, request)
  const id = await pendingId(two)
  const { grantId } = await two.decide(id, { decision: 'approve', scope: 'session' }, ann)
  await call.outcome
  await until(async () => (await one.grantsOf(request.session)).length === 1)
  await two.revokeGrant(String(grantId), ann)
  await until(async () => (await one.grantsOf(request.session)).length === 0)
})

interface Hubs {
  /** The first hub receives no notices, as if its connection had broken silently. */
  readonly isDeaf?: boolean

  readonly one?: Partial<ApprovalsOptions>
}

async function useTwoHubs(options: Hubs = {}) {
  const database = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => database[Symbol.asyncDispose]())
  const stores = [
    await openStore({ databaseUrl: database.url }),
    await openStore({ databaseUrl: database.url }),
  ] as const
  onTestFinished(async () => {
    for (const store of stores) await store[Symbol.asyncDispose]()
  })
  const world = createApprovalWorld()
  const session = await addSession(stores[0], 'fix')
  const one = await world.start(options.isDeaf ? deaf(stores[0]) : stores[0], { hubId: 'one', ...options.one })
  const two = await world.start(stores[1], { hubId: 'two' })
  return { ...world, one, two, request: requestOf(session), url: database.url }
}

function deaf(store: Store): Store {
  const listen = async () => ({ [Symbol.asyncDispose]: async () => {} })
  return { ...store, ...(store.postgres && { postgres: { ...store.postgres, listen } }) }
}
