import { expect, onTestFinished, test } from 'vitest'
import { follow } from '../../test/fixtures/follow.ts'
import { ann, bob } from '../../test/worlds/approval-world.ts'
import { createPolicyWorld } from '../../test/worlds/policy-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'

interface Proposal {
  readonly id: string
  readonly status: string
}

describeOnEachEngine('proposals', (open) => {
  async function world(options: Parameters<typeof createPolicyWorld>[1] = {}) {
    const opened = await open()
    onTestFinished(() => opened[Symbol.asyncDispose]())
    const opening = await createPolicyWorld(opened.store, options)
    const session = await opening.addSession('one')
    return { ...opening, session, agent: opening.agent(session), agentOf: opening.agent }
  }

  test('rules that an agent proposes and a person accepts become a new version of the session’s policy', async () => {
    const { people, agent, policies, session, events } = await world()
    await people.call('set_policy', { scope: 'session', target: 'one', source: '# ours\nrules:\n  - deny: a\n' })
    const proposed = await agent.call<Proposal>('policy_propose', { rules: '- allow: x_*', why: 'to read issues' })
    expect(proposed).toMatchObject({ status: 'pending', rules: '- allow: x_*' })
    expect(await policies.decide(session, { tool: 'x_y', arguments: {} })).toMatchObject({ effect: 'ask' })

    const accepted = await people.call<{ diff: string }>('decide_policy_proposal', {
      id: proposed.id,
      decision: 'accept',
      reason: 'fine',
    })
    expect(accepted).toMatchObject({
      status: 'accepted',
      decided_by: 'ann',
      reason: 'fine',
      version: 2,
      session: 'one',
    })
    expect(accepted.diff).toContain(`+  # proposal ${proposed.id}: to read issues\n+  - allow: x_*`)
    expect(await policies.decide(session, { tool: 'x_y', arguments: {} })).toMatchObject({
      effect: 'allow',
      rule: 'session#2',
    })
    const types = (await events.read({ session })).events.map(({ type }) => type)
    expect(types).toEqual(['policy-saved', 'policy-proposed', 'policy-saved', 'policy-decided'])
  })

  test('the oldest withdrawn proposals are deleted when all of them take too much space', async () => {
    const { agent, people, pass } = await world({ maxEndedBytes: 2_000 })
    const { id: open } = await agent.call<Proposal>('policy_propose', { rules: '- allow: x', why: 'y' })
    const ids: string[] = []
    for (let count = 0; count < 21; count++) {
      const { id } = await agent.call<Proposal>('policy_propose', { rules: `- allow: x${count}`, why: 'y' })
      await agent.call('policy_withdraw', { id })
      pass(1)
      ids.push(id)
    }
    const { proposals } = await people.call<{ proposals: readonly Proposal[] }>('list_policy_proposals', {
      status: 'all',
    })
    const left = proposals.map(({ id }) => id)
    expect(left).toContain(open)
    expect(left.toSorted()).toEqual([open, ...ids.slice(-3)].toSorted())
  })

  test('a proposal has no effect while it is pending or after it is rejected', async () => {
    const { people, agent, policies, session } = await world()
    const { id } = await agent.call<Proposal>('policy_propose', { rules: '- allow: "*"', why: 'all' })
    expect(await policies.decide(session, { tool: 'x', arguments: {} })).toMatchObject({ effect: 'ask' })
    expect(await people.call('decide_policy_proposal', { id, decision: 'reject', reason: 'too wide' })).toMatchObject({
      status: 'rejected',
    })
    expect(await policies.decide(session, { tool: 'x', arguments: {} })).toMatchObject({ effect: 'ask' })
    expect(await people.call('get_policy', { scope: 'session', target: 'one' })).toMatchObject({ version: 0 })
  })

  test('a proposal is decided once, and later decisions are told who was first', async () => {
    const { people, agent } = await world()
    const { id } = await agent.call<Proposal>('policy_propose', { rules: '- allow: x', why: 'y' })
    const decisions = [
      people.call('decide_policy_proposal', { id, decision: 'accept' }, ann),
      people.call('decide_policy_proposal', { id, decision: 'reject' }, bob),
      people.call('decide_policy_proposal', { id, decision: 'accept' }, bob),
    ]
    const outcomes = await Promise.allSettled(decisions)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(String(refused?.reason)).toMatch(/was (accepted|rejected) by (ann|bob) at /)
    expect(await people.failure('decide_policy_proposal', { id: 'none', decision: 'accept' })).toMatch(/No proposal/)
  })

  test('proposals that are accepted at the same time all end up in the policy', async () => {
    const { people, agent } = await world()
    const proposed = await Promise.all(
      ['a', 'b', 'c', 'd'].map((tool) =>
        agent.call<Proposal>('policy_propose', { rules: `- allow: ${tool}`, why: 'needed' }),
      ),
    )
    await Promise.all(proposed.map(({ id }) => people.call('decide_policy_proposal', { id, decision: 'accept' })))
    const policy = await people.call<{ rules: { tools: string[] }[]; version: number }>('get_policy', {
      scope: 'session',
      target: 'one',
    })
    expect(policy.version).toBe(4)
    expect(policy.rules.flatMap(({ tools }) => tools).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a proposal that is invalid or contains more than rules is refused with advice', async () => {
    const { agent, people } = await world()
    const refusal = (rules: string) => agent.failure('policy_propose', { rules, why: 'y' })
    expect(await refusal('- allow: x\n- alow: y')).toMatch(/^"rules", line 2: "alow" is not known here/)
    expect(await refusal('default: allow\nrules: [{allow: x}]')).toMatch(/a proposal has rules only/)
    expect(await refusal('# nothing')).toMatch(/propose 1 to 50 rules/)
    expect(await refusal(`[${'{allow: x},'.repeat(51)}]`)).toMatch(/propose 1 to 50 rules/)
    expect(await refusal(`# ${'x'.repeat(20_000)}`)).toMatch(/at most 16384 bytes/)
    expect(await refusal('['.repeat(10_000))).toMatch(/nested too deeply/)
    expect(await people.call('list_policy_proposals', { status: 'all' })).toEqual({ proposals: [] })
  })

  test('rules that contain a secret of a connector are refused, and the stated purpose is stored without the secret', async () => {
    const { agent, people, redactor, store } = await world()
    redactor.addSecret('correct horse')
    const rules = '- {allow: x, when: {properties: {note: {const: "correct horse"}}}}'
    expect(await agent.failure('policy_propose', { rules, why: 'y' })).toMatch(
      /^"rules": a secret of a connector stands/,
    )
    const named = '- {allow: x, when: {properties: {token: {type: string}}}}'
    await agent.call('policy_propose', { rules: named, why: 'it logs in with correct horse' })
    expect(await people.call('list_policy_proposals')).toMatchObject({
      proposals: [{ rules: named, why: 'it logs in with [redacted]' }],
    })
    const kept = await store.db.selectFrom('policy_proposals').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain('correct horse')
  })

  test('an agent has at most twenty pending proposals, and can withdraw only its own', async () => {
    const { agent, agentOf, people, addSession } = await world()
    const other = agentOf(await addSession('two'))
    const proposed: Proposal[] = []
    for (let count = 0; count < 20; count++) {
      proposed.push(await agent.call('policy_propose', { rules: `- allow: x${count}`, why: 'y' }))
    }
    expect(await agent.failure('policy_propose', { rules: '- allow: x', why: 'y' })).toMatch(/20 proposals/)
    const id = proposed[0]!.id
    expect(await other.failure('policy_withdraw', { id })).toMatch(/has no proposal/)
    expect(await agent.call('policy_withdraw', { id })).toMatchObject({ status: 'withdrawn' })
    expect(await agent.failure('policy_withdraw', { id })).toMatch(/was withdrawn/)
    expect(await people.failure('decide_policy_proposal', { id, decision: 'accept' })).toMatch(/was withdrawn/)
    await agent.call('policy_propose', { rules: '- allow: x', why: 'y' })
    await other.call('policy_propose', { rules: '- allow: x', why: 'y' })
    const pending = await people.call<{ proposals: Proposal[] }>('list_policy_proposals', { session: 'one' })
    expect(pending.proposals).toHaveLength(20)
  })

  test('subscribers of the proposals are notified, and the resource lists the pending ones', async () => {
    const { agent, people, notices } = await world()
    const uri = 'resource://policies/proposals'
    const marked = follow(notices, uri)
    const { id } = await agent.call<Proposal>('policy_propose', { rules: '- allow: x', why: 'y' })
    await notices.settled()
    expect(marked).toEqual([uri])
    expect(await people.read(uri)).toMatchObject({ proposals: [{ id, session: 'one', status: 'pending' }] })
    await people.call('decide_policy_proposal', { id, decision: 'reject' })
    await notices.settled()
    expect(marked).toEqual([uri, uri])
    expect(await people.read(uri)).toEqual({ proposals: [] })
  })

  test('an agent can read its policy and check a call before making it', async () => {
    const { agent, people } = await world()
    await people.call('set_policy', { source: 'default: deny\nrules:\n  - allow: x_*\n' })
    const { id } = await agent.call<Proposal>('policy_propose', { rules: '- allow: z', why: 'y' })
    expect(await agent.call('policy_read')).toMatchObject({
      policy_version: 'hub@1',
      default: 'deny',
      policies: [{ scope: 'hub', version: 1, source: 'default: deny\nrules:\n  - allow: x_*\n' }],
      proposals: [{ id, status: 'pending' }],
    })
    expect(await agent.call('policy_check', { tool: 'x_y', arguments: {} })).toMatchObject({ effect: 'allow' })
    expect(await agent.call('policy_check', { tool: 'z' })).toMatchObject({ effect: 'deny' })
  })
})
