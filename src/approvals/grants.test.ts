import { expect, test } from 'vitest'
import type { TestApprovals } from '../../test/worlds/approval-world.ts'
import {
  addSession,
  ann,
  ask,
  bob,
  createApprovalWorld,
  requestOf,
  setStatus,
} from '../../test/worlds/approval-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { PolicyCall } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import type { GrantRule } from './approvals.ts'

const forSession = { decision: 'approve', scope: 'session' } as const
const asRule = (rule?: GrantRule) => ({ decision: 'approve', scope: 'rule', rule }) as const

async function useHub(store: Store) {
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const other = await addSession(store, 'other')
  const approvals = await world.start(store, { holdMs: 0 })
  const { id } = await ask(approvals, requestOf(session)).outcome
  return { ...world, session, other, approvals, id }
}

const call: PolicyCall = { tool: 'github_create_issue', arguments: { repo: 'main', title: 'It broke' } }

async function holds(approvals: TestApprovals, session: string, changes: Partial<PolicyCall> = {}): Promise<boolean> {
  return (await approvals.grantsOf(session)).some((grant) => grant.matches({ ...call, ...changes }))
}

describeOnEachEngine('a grant', (open) => {
  test('a grant for a session applies to this tool in that session, with any arguments', async () => {
    await using opened = await open()
    const { approvals, id, session, other, events } = await useHub(opened.store)
    expect(await holds(approvals, session)).toBe(false)
    const { grantId } = await approvals.decide(id, forSession, ann)
    expect(await holds(approvals, session, { arguments: {} })).toBe(true)
    expect(await holds(approvals, session, { tool: 'github_create_issues' })).toBe(false)
    expect(await holds(approvals, other)).toBe(false)
    expect(await approvals.listGrants({})).toMatchObject([
      { id: grantId, sessionName: 'fix', tool: 'github_create_issue', approvalId: id, createdBy: 'ann' },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'grant-made',
      correlation: 'c1',
      payload: { grant: grantId, by: 'ann' },
    })
  })

  test('a grant survives a restart of the hub', async () => {
    await using opened = await open()
    const { approvals, id, session, start } = await useHub(opened.store)
    await approvals.decide(id, forSession, ann)
    expect(await holds(await start(await opened.reopen()), session)).toBe(true)
  })

  test('the proposed rule covers this tool with exactly these arguments, in all sessions', async () => {
    await using opened = await open()
    const { approvals, id, session, other } = await useHub(opened.store)
    await approvals.decide(id, asRule(), ann)
    for (const each of [session, other]) {
      expect(await holds(approvals, each)).toBe(true)
      expect(await holds(approvals, each, { arguments: { repo: 'main', title: 'Another' } })).toBe(false)
      expect(await holds(approvals, each, { arguments: { ...call.arguments, draft: true } })).toBe(false)
    }
  })

  test('a rule that a person writes covers exactly the calls it describes', async () => {
    await using opened = await open()
    const { approvals, id, session, other } = await useHub(opened.store)
    const when = { properties: { repo: { const: 'main' } }, required: ['repo'] }
    await approvals.decide(id, asRule({ tool: 'github_*', when, session: true }), ann)
    expect(await holds(approvals, session, { tool: 'github_close_issue', arguments: { repo: 'main' } })).toBe(true)
    expect(await holds(approvals, session, { arguments: { repo: 'prod' } })).toBe(false)
    expect(await holds(approvals, other)).toBe(false)
  })

  test('a preview shows the grant and changes nothing', async () => {
    await using opened = await open()
    const { approvals, id } = await useHub(opened.store)
    const { approval, grant } = await approvals.preview(id, asRule({ tool: 'github_*' }))
    expect(approval.status).toBe('pending')
    expect(grant).toMatchObject({ tool: 'github_*', sessionId: undefined })
    expect(await approvals.listGrants({ withRevoked: true })).toEqual([])
    expect((await approvals.find(id)).status).toBe('pending')
  })

  test.each([
    ['does not fit the call', { tool: 'gitlab_*' }, 'does not fit the call'],
    [
      'has a condition that the call does not meet',
      { tool: '*', when: { required: ['branch'] } },
      'does not fit the call',
    ],
    ['has no proper name', { tool: 'github_{a,b}' }, '"tool"'],
    ['has a condition that is no schema', { tool: '*', when: { type: 'nonsense' } }, '"rule"'],
  ])('a rule that %s is refused, and nothing is decided', async (_, rule, message) => {
    await using opened = await open()
    const { approvals, id } = await useHub(opened.store)
    await expect(approvals.decide(id, asRule(rule), ann)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(message),
    })
    expect((await approvals.find(id)).status).toBe('pending')
    expect(await approvals.listGrants({ withRevoked: true })).toEqual([])
  })

  test('a grant needs the decision "approve", and a rule needs the scope "rule"', async () => {
    await using opened = await open()
    const { approvals, id } = await useHub(opened.store)
    await expect(approvals.decide(id, { decision: 'deny', scope: 'session' }, ann)).rejects.toThrow('set_policy')
    await expect(
      approvals.decide(id, { decision: 'approve', scope: 'once', rule: { tool: '*' } }, ann),
    ).rejects.toThrow('"rule" goes with the scope "rule"')
  })

  test('an answer that comes too late makes no grant', async () => {
    await using opened = await open()
    const { approvals, id } = await useHub(opened.store)
    const answers = await Promise.allSettled([
      approvals.decide(id, { decision: 'deny', scope: 'once' }, ann),
      approvals.decide(id, forSession, bob),
      approvals.decide(id, asRule(), bob),
    ])
    const won = answers.findIndex(({ status }) => status === 'fulfilled')
    expect(await approvals.listGrants({ withRevoked: true })).toHaveLength(won === 0 ? 0 : 1)
  })

  test('a grant for a tool whose name contains a wildcard is refused', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store)
    const { id } = await ask(approvals, requestOf(session, { tool: 'evil_*' })).outcome
    for (const answer of [forSession, asRule()]) {
      await expect(approvals.decide(id, answer, ann)).rejects.toThrow('would stand for others too')
    }
  })

  test('a rule is not proposed for arguments with hidden parts, but a person can write one', async () => {
    await using opened = await open()
    const { approvals, session } = await useHub(opened.store)
    const args = { user: 'ann', password: 'hunter2-hunter2' }
    const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
    await expect(approvals.decide(id, asRule(), ann)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(
        /\(\/password\)\. Approve it with the scope "once" or "session", or say in "rule"/,
      ),
    })
    const when = { properties: { user: { const: 'ann' } }, required: ['user'] }
    await approvals.decide(id, asRule({ tool: call.tool, when }), ann)
    expect(JSON.stringify(await approvals.listGrants({}))).not.toContain('hunter2')
    expect(await holds(approvals, session, { arguments: args })).toBe(true)
    expect(await holds(approvals, session, { arguments: { ...args, user: 'bob' } })).toBe(false)
  })

  test.each(['/tmp/x [redacted]', `echo "token: '"; ls`])('a grant for %j covers only that text', async (path) => {
    await using opened = await open()
    const { approvals, session, other } = await useHub(opened.store)
    const { id } = await ask(approvals, requestOf(session, { arguments: { path } })).outcome
    await approvals.decide(id, asRule(), ann)
    expect(await holds(approvals, other, { arguments: { path } })).toBe(true)
    expect(await holds(approvals, other, { arguments: { path: '/' } })).toBe(false)
  })

  test('a revoked grant no longer applies, and its approval is abandoned', async () => {
    await using opened = await open()
    const { approvals, id, session, events } = await useHub(opened.store)
    const { grantId } = await approvals.decide(id, forSession, ann)
    const revoked = await approvals.revokeGrant(String(grantId), bob)
    expect(revoked).toMatchObject({ revokedBy: 'bob' })
    expect(await holds(approvals, session)).toBe(false)
    expect((await ask(approvals, requestOf(session)).outcome).status).toBe('pending')
    expect((await approvals.find(id)).status).toBe('abandoned')
    expect(await approvals.revokeGrant(String(grantId), ann)).toEqual(revoked)
    expect(events.filter(({ type }) => type === 'grant-revoked')).toHaveLength(1)
    expect(await approvals.listGrants({})).toEqual([])
    expect(await approvals.listGrants({ withRevoked: true })).toHaveLength(1)
    await expect(approvals.revokeGrant('nope', ann)).rejects.toThrow('list_grants')
  })

  test('a session grant is revoked when its session ends, also by the next hub', async () => {
    await using opened = await open()
    const { approvals, id, session, other, start, events } = await useHub(opened.store)
    await approvals.decide(id, forSession, ann)
    await approvals.abandonOf(session)
    expect(await holds(approvals, session)).toBe(false)
    expect(events.at(-1)).toMatchObject({ type: 'grant-revoked', payload: { by: 'the end of its session' } })

    const { id: another } = await ask(approvals, requestOf(other)).outcome
    await approvals.decide(another, forSession, ann)
    await setStatus(opened.store, other, 'completed')
    expect(await holds(await start(opened.store), other)).toBe(false)
  })

  test('a grant that cannot be compiled is ignored and logged', async () => {
    await using opened = await open()
    const { approvals, id, session, start, complaints } = await useHub(opened.store)
    await approvals.decide(id, forSession, ann)
    await opened.store.db.updateTable('grants').set({ condition: '{"type":"nonsense"}' }).execute()
    const next = await start(opened.store)
    expect(await next.grantsOf(session)).toEqual([])
    expect(complaints.join()).toContain('a grant cannot be used')
  })
})
