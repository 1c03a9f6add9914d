import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { follow } from '../../test/fixtures/follow.ts'
import { addSession, ann, ask, createApprovalWorld, requestOf } from '../../test/worlds/approval-world.ts'
import { toCall } from '../../test/worlds/terminal-toolbox.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Approval, Grant } from '../api/approval.ts'
import { HubError } from '../base/hub-error.ts'
import { createFace } from '../endpoint/endpoint.ts'
import type { CallToolResult } from '../mcp/mcp.ts'
import { createNotices, managementFaceId } from '../mcp/mcp.ts'
import { openStore } from '../store/store.ts'
import { createApprovalProvider } from './approval-tools.ts'

interface Answer {
  readonly approvals: readonly Approval[]
  readonly grants: readonly Grant[]
  readonly cursor: string
  readonly next_cursor?: string
}

async function useTools() {
  const sqliteDir = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'))
  const store = await openStore({ sqliteDir })
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]()
    rmSync(sqliteDir, { recursive: true })
  })
  const world = createApprovalWorld()
  const notices = createNotices()
  const session = await addSession(store, 'fix')
  const approvals = await world.start(store, { holdMs: 0, notices })
  const provider = createApprovalProvider({
    approvals,
    async findSession(nameOrId) {
      const row = await store.db
        .selectFrom('sessions')
        .select('id')
        .where(({ eb, or }) => or([eb('id', '=', nameOrId), eb('name', '=', nameOrId)]))
        .executeTakeFirst()
      if (row) return row
      throw new HubError('not-found', `There is no session "${nameOrId}".`)
    },
  })
  const info = { name: 'test', version: '0' }
  const face = createFace({ id: managementFaceId, info, instructions: '', providers: [provider] })

  async function run(tool: string, args: Record<string, unknown>): Promise<CallToolResult> {
    const found = face.findTool(tool)
    if (!found) throw new Error(`there is no tool ${tool}`)
    return (await face.callTool(found, args, toCall({ caller: ann }))) as CallToolResult
  }
  async function call<Result = Answer>(tool: string, args: Record<string, unknown> = {}): Promise<Result> {
    const { isError, content, structuredContent } = await run(tool, args)
    if (isError) throw new Error(content.map((block) => (block.type === 'text' ? block.text : '')).join())
    return structuredContent as Result
  }
  async function read(uri: string): Promise<unknown> {
    const found = await face.readResource(uri, toCall())
    const [first] = found && 'contents' in found ? found.contents : []
    return first && 'text' in first ? JSON.parse(first.text) : undefined
  }
  /** Makes a call that is not held, and returns the id of its approval. */
  const askFor = async (changes: Parameters<typeof requestOf>[1] = {}) =>
    (await ask(approvals, requestOf(session, changes)).outcome).id
  return { ...world, store, approvals, notices, session, call, read, askFor }
}

test('list_approvals shows a pending approval with everything a person needs to decide', async () => {
  const { call, askFor, session } = await useTools()
  const id = await askFor({ reason: 'others can read it' })
  const { approvals } = await call('list_approvals')
  expect(approvals).toEqual([
    {
      id,
      session: 'fix',
      session_id: session,
      tool: 'github_create_issue',
      arguments: { repo: 'main', title: 'It broke' },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      correlation: 'c1',
      rule: 'hub#3',
      rule_reason: 'others can read it',
      policy_version: 'hub@1',
      status: 'pending',
      waiting: false,
      requested_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T01:00:00.000Z',
    },
  ])
})

test('list_approvals filters by status and session, and pages through the results', async () => {
  const { call, askFor, pass, store } = await useTools()
  const other = await addSession(store, 'other')
  const ids = []
  for (let n = 0; n < 5; n++) {
    ids.unshift(await askFor({ arguments: { n } }))
    if (n % 2) pass(1_000)
  }
  await askFor({ session: other })
  await call('decide_approval', { id: ids[0], decision: 'deny', reason: 'no' })
  const { approvals: denied } = await call('list_approvals', { status: 'denied' })
  expect(denied).toMatchObject([{ id: ids[0], status: 'denied', decided_by: 'ann', reason: 'no' }])
  expect((await call('list_approvals', { session: 'fix' })).approvals).toHaveLength(4)

  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page: Answer = await call('list_approvals', {
      status: 'all',
      session: 'fix',
      limit: 2,
      ...(cursor && { cursor }),
    })
    seen.push(...page.approvals.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor)
  expect(seen.toSorted()).toEqual(ids.toSorted())
  await expect(call('list_approvals', { session: 'nobody' })).rejects.toThrow('There is no session "nobody"')
  await expect(call('list_approvals', { cursor: 'x' })).rejects.toThrow('"cursor"')
})

test('lists cut large arguments and say by how much, and a single approval has them whole', async () => {
  const { call, read, askFor } = await useTools()
  const args = { n: 1, text: 'y'.repeat(1_000_000), end: 'rm -rf /' }
  const id = await askFor({ arguments: args })
  const size = JSON.stringify(args).length
  for (const list of [
    await call('list_approvals'),
    await call('wait_approvals', { timeout_ms: 0 }),
    (await read('resource://approvals/pending')) as Answer,
    (await read('resource://sessions/fix/approvals')) as Answer,
  ]) {
    const [cut] = list.approvals
    expect(JSON.stringify(cut).length).toBeLessThan(6_000)
    expect(cut?.arguments_left_out).toBe(size - JSON.stringify(cut?.arguments).length)
  }
  const [whole] = (await call('list_approvals', { id })).approvals
  expect(whole).toMatchObject({ arguments: args })
  expect(whole).not.toHaveProperty('arguments_left_out')
  expect(await read(`resource://approvals/${id}`)).toEqual(whole)
})

test('a page stays small: approvals that do not fit come on the next page, in lists and in wait_approvals', async () => {
  const { call, read, askFor, pass, store } = await useTools()
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const session = await addSession(store, name)
    for (let n = 0; n < 30; n++) {
      ids.push(await askFor({ session, arguments: { n, text: '\u{1}'.repeat(10_000) } }))
      pass(1)
    }
  }
  const sizes: number[] = []
  const listed: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Answer = await call('list_approvals', { limit: 1_000, ...(cursor && { cursor }) })
    sizes.push(JSON.stringify(page).length)
    listed.push(...page.approvals.map(({ id }) => id))
    cursor = page.next_cursor
  }
  expect(listed).toEqual(ids.toReversed())
  const heard: string[] = []
  for (let since: string | undefined; heard.length < ids.length;) {
    const news: Answer = await call('wait_approvals', { timeout_ms: 0, ...(since !== undefined && { since }) })
    sizes.push(JSON.stringify(news).length)
    heard.push(...news.approvals.map(({ id }) => id))
    since = news.cursor
  }
  expect(heard).toEqual(ids)
  const pending = (await read('resource://approvals/pending')) as Answer
  expect((await call('list_approvals', { cursor: pending.next_cursor })).approvals).not.toEqual([])
  sizes.push(JSON.stringify(pending).length)
  expect(Math.max(...sizes)).toBeLessThan(1_100_000)
})

test('a grant can be previewed, made, listed and revoked', async () => {
  const { call, askFor } = await useTools()
  const id = await askFor()
  const wider = { id, decision: 'approve', scope: 'rule', rule: { tool: 'github_*', session: true } }
  const shown = await call<Approval & { would_grant: Grant }>('decide_approval', { ...wider, dry_run: true })
  expect(shown).toMatchObject({ status: 'pending', would_grant: { tool: 'github_*', session: 'fix', approval: id } })
  const decided = await call<Approval>('decide_approval', wider)
  expect(decided).toMatchObject({ id, status: 'approved', grant: expect.stringMatching(/^g/) })
  const { grants } = await call('list_grants', { session: 'fix' })
  expect(grants).toMatchObject([{ id: decided.grant, tool: 'github_*', created_by: 'ann' }])
  const revoked = await call<Grant>('revoke_grant', { id: decided.grant })
  expect(revoked.revoked_by).toBe('ann')
  expect((await call('list_grants')).grants).toEqual([])
  expect((await call('list_grants', { revoked: true })).grants).toEqual([revoked])
})

test('the second person to answer is told who answered first', async () => {
  const { call, askFor } = await useTools()
  const id = await askFor()
  await call('decide_approval', { id, decision: 'deny', reason: 'too late in the day' })
  await expect(call('decide_approval', { id, decision: 'approve' })).rejects.toThrow(
    'was denied by ann at 2026-01-01T00:00:00.000Z (too late in the day)',
  )
})

test('wait_approvals returns the pending approvals first and then every change', async () => {
  const { call, askFor } = await useTools()
  expect(await call('wait_approvals', { timeout_ms: 0 })).toMatchObject({ approvals: [] })
  const waiting = call('wait_approvals', { timeout_ms: 60_000 })
  const first = await askFor()
  const { approvals, cursor } = await waiting
  expect(approvals).toMatchObject([{ id: first, status: 'pending' }])

  const second = await askFor({ arguments: {} })
  await call('decide_approval', { id: first, decision: 'abort' })
  const news = await call('wait_approvals', { since: cursor, timeout_ms: 60_000 })
  expect(news.approvals.map(({ id, status }) => [id, status])).toEqual([
    [second, 'pending'],
    [first, 'aborted'],
  ])
  expect(await call('wait_approvals', { since: news.cursor, timeout_ms: 0 })).toEqual({
    approvals: [],
    cursor: news.cursor,
  })
  const next = call('wait_approvals', { since: news.cursor, timeout_ms: 60_000 })
  await call('decide_approval', { id: second, decision: 'approve' })
  expect((await next).approvals).toMatchObject([{ id: second, status: 'approved' }])
})

test('wait_approvals returns when the hub stops', async () => {
  const { call, approvals } = await useTools()
  const waiting = call('wait_approvals', { timeout_ms: 600_000 })
  approvals.endHolds()
  expect((await waiting).approvals).toEqual([])
})

test('wait_approvals misses no change after the session of the newest approval is removed', async () => {
  const { call, askFor, store } = await useTools()
  const other = await addSession(store, 'other')
  await askFor({ session: other })
  const { cursor } = await call('wait_approvals', { timeout_ms: 0 })
  await store.db.deleteFrom('sessions').where('id', '=', other).execute()
  const id = await askFor()
  expect((await call('wait_approvals', { since: cursor, timeout_ms: 0 })).approvals).toMatchObject([{ id }])
})

test('the resources show the same approvals and send a notice for each change', async () => {
  const { call, read, askFor, notices, session } = await useTools()
  const uris = [
    'resource://approvals/pending',
    `resource://sessions/${session}/approvals`,
    'resource://sessions/fix/approvals',
  ]
  const heard = follow(notices, ...uris)

  const id = await askFor()
  await until(() => heard.length === 3)
  expect(await read('resource://approvals/pending')).toEqual({ approvals: [expect.objectContaining({ id })] })
  const heardOfOne = follow(notices, `resource://approvals/${id}`)
  await call('decide_approval', { id, decision: 'deny' })
  await until(() => heard.length === 6 && heardOfOne.length === 1)
  expect(heard.slice(3).toSorted()).toEqual(uris.toSorted())
  expect(await read('resource://approvals/pending')).toEqual({ approvals: [] })
  expect(await read(`resource://approvals/${id}`)).toMatchObject({ id, status: 'denied' })
  expect(await read('resource://sessions/fix/approvals')).toMatchObject({ approvals: [{ id, status: 'denied' }] })
  expect(await read('resource://approvals/nope')).toBeUndefined()
  expect(await read('resource://sessions/nobody/approvals')).toBeUndefined()
})
