import { expect, onTestFinished, test } from 'vitest'
import { follow } from '../../test/fixtures/follow.ts'
import { ann, bob } from '../../test/worlds/approval-world.ts'
import { createPolicyWorld } from '../../test/worlds/policy-world.ts'
import type { OpenedStore } from '../../test/harness/store-engines.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { PolicyFailure } from '../policy/policy.ts'

interface ReadPolicy {
  readonly source: string
  readonly version: number
  readonly origin: string
  readonly rules: readonly { readonly name: string }[]
  readonly diff?: string
}

async function openWorld(open: () => Promise<OpenedStore>) {
  const opened = await open()
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return createPolicyWorld(opened.store)
}

const call = (tool: string, args: Record<string, unknown> = {}) => ({ tool, arguments: args })

describeOnEachEngine('policies', (open) => {
  const world = () => openWorld(open)

  test('the documents of hub, template and session are pooled, and a save applies from the next call on', async () => {
    const { people, policies, templates, pass, addSession } = await world()
    const id = await addSession('one')
    expect(await policies.decide(id, call('x_y'))).toMatchObject({ effect: 'ask' })
    await people.call('set_policy', { source: 'default: deny\nrules:\n  - allow: x_*\n' })
    expect(await policies.decide(id, call('x_y'))).toEqual({ effect: 'allow', rule: 'hub#1', policyVersion: 'hub@1' })
    await people.call('set_policy', { scope: 'session', target: 'one', source: '- abort: x_y\n  reason: no' })
    expect(await policies.decide(id, call('x_y'))).toEqual({
      effect: 'abort',
      rule: 'session#1',
      reason: 'no',
      policyVersion: 'hub@1+session@1',
    })
    templates.set('shell', '- deny: z')
    pass(1_000)
    expect(await policies.decide(id, call('z'))).toMatchObject({ effect: 'deny', rule: 'template:shell#1' })
    await people.call('set_policy', { scope: 'template', target: 'shell', source: '- ask: z' })
    expect(await policies.decide(id, call('z'))).toMatchObject({
      effect: 'ask',
      policyVersion: 'hub@1+template:shell@1+session@1',
    })
  })

  test('a broken policy is refused with its line, and the old one stays', async () => {
    const { people, policies, addSession } = await world()
    const id = await addSession('one')
    await people.call('set_policy', { source: '- allow: x' })
    expect(await people.failure('set_policy', { source: 'default: deny\nrules:\n  - alow: x\n' })).toMatch(
      /^"source", line 3: "alow" is not known here/,
    )
    expect(await people.call('get_policy')).toMatchObject({ source: '- allow: x', version: 1 })
    expect(await policies.decide(id, call('x'))).toMatchObject({ effect: 'allow' })
  })

  test('every version is kept and can be read', async () => {
    const { people } = await world()
    for (const tool of ['a', 'b', 'c']) await people.call('set_policy', { source: `- allow: ${tool}` })
    expect(await people.call<ReadPolicy>('get_policy', { version: 2 })).toMatchObject({
      source: '- allow: b',
      version: 2,
    })
    expect(await people.failure('get_policy', { version: 9 })).toMatch(/has no version 9/)
  })

  test('saves at the same time are all kept, each as its own version', async () => {
    const { people } = await world()
    const sources = Array.from({ length: 8 }, (_, index) => `- allow: tool_${index}`)
    await Promise.all(sources.map((source) => people.call('set_policy', { source })))
    const saved = await Promise.all(
      sources.map(async (_, index) => (await people.call<ReadPolicy>('get_policy', { version: index + 1 })).source),
    )
    expect(saved.toSorted()).toEqual(sources)
  })

  test('a save based on an old version is refused, and the error shows the newer change', async () => {
    const { people } = await world()
    await people.call('set_policy', { source: '- allow: a\n', if_version: 0 })
    await people.call('set_policy', { source: '- allow: a\n- allow: b\n', if_version: 1 }, bob)
    const refusal = await people.failure('set_policy', { source: '- allow: a\n- allow: mine\n', if_version: 1 })
    expect(refusal).toMatch(/^"if_version" is 1, but the policy is at version 2, saved by bob/)
    expect(refusal).toContain('+- allow: b')
    const saves = Array.from({ length: 5 }, (_, index) => ({ source: `- deny: d${index}`, if_version: 2 }))
    const outcomes = await Promise.allSettled(saves.map((save) => people.call('set_policy', save)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await people.call('get_policy')).toMatchObject({ version: 3 })
  })

  test('removing a policy restores the shipped document or the template file', async () => {
    const { people, policies, addSession, templates } = await world()
    const id = await addSession('one')
    templates.set('shell', '- allow: from_file')
    expect(await people.call('get_policy')).toMatchObject({ version: 0, origin: 'shipped' })
    await people.call('set_policy', { source: '- deny: "*"' })
    const back = await people.call<ReadPolicy>('set_policy', { source: ' \n' })
    expect(back).toMatchObject({ version: 2, origin: 'shipped' })
    expect(back.source).toContain('policy_*')
    expect(await policies.decide(id, call('policy_read'))).toMatchObject({ effect: 'allow' })
    expect(await policies.decide(id, call('from_file'))).toMatchObject({ effect: 'allow', rule: 'template:shell#1' })
    expect(await people.call('get_policy', { scope: 'template', target: 'shell' })).toMatchObject({
      origin: 'template-file',
      source: '- allow: from_file',
    })
    expect(await people.call('get_policy', { scope: 'session', target: 'one' })).toMatchObject({
      origin: 'none',
      source: '',
    })
  })

  test('a save by another hub is seen within a second, without reading the store for every call', async () => {
    const { people, another, pass, addSession } = await world()
    const id = await addSession('one')
    const elsewhere = another()
    expect(await elsewhere.decide(id, call('x'))).toMatchObject({ effect: 'ask' })
    await people.call('set_policy', { source: '- allow: x' })
    expect(await elsewhere.decide(id, call('x'))).toMatchObject({ effect: 'ask' })
    pass(1_000)
    expect(await elsewhere.decide(id, call('x'))).toMatchObject({ effect: 'allow' })
  })

  test('a call sees a save even while an older state is still being read', async () => {
    const { people, policies, addSession } = await world()
    const id = await addSession('one')
    for (let round = 0; round < 10; round++) {
      const effect = round % 2 === 0 ? 'deny' : 'allow'
      const early = policies.decide(id, call('x'))
      await people.call('set_policy', { source: `- ${effect}: x` })
      expect(await policies.decide(id, call('x'))).toMatchObject({ effect })
      await early
    }
  })

  test('each save is recorded with its author, and subscribers are notified', async () => {
    const { people, events, notices, addSession } = await world()
    const id = await addSession('one')
    const marked = follow(notices, 'resource://policies')
    await people.call('set_policy', { source: '- allow: x' })
    await people.call('set_policy', { scope: 'session', target: 'one', source: '- allow: y' }, bob)
    await notices.settled()
    expect(marked).toContain('resource://policies')
    const { events: saved } = await events.read({ type: 'policy-saved' })
    expect(saved).toMatchObject([
      { payload: { scope: 'hub', version: 1, by: 'ann' } },
      { session: id, payload: { scope: 'session', target: id, version: 1, by: 'bob' } },
    ])
    expect(await people.read('resource://policies')).toMatchObject({
      policies: [
        { scope: 'hub', version: 1, saved_by: 'ann' },
        { scope: 'session', target: id, version: 1, saved_by: 'bob' },
      ],
    })
  })

  test('a session can start with a policy, which applies to its first call', async () => {
    const { policies, addSession } = await world()
    const id = await addSession('one')
    await policies.setSessionPolicy(id, 'default: allow', 'ann')
    expect(await policies.decide(id, call('x'))).toMatchObject({ effect: 'allow' })
    await expect(policies.check('default: alow')).rejects.toThrow(/^line 1: /)
    await expect(policies.setSessionPolicy(id, '- alow: x', 'ann')).rejects.toThrow(/^line 1: /)
  })
})

describeOnEachEngine('a policy that cannot be used', (open) => {
  const world = () => openWorld(open)

  test('an invalid policy lets no call through, names the fault, and can be read and repaired', async () => {
    const { people, policies, store, addSession } = await world()
    const id = await addSession('one')
    const broken = { scope: 'session', target: id, version: 1, source: '- alow: x', saved_at: '', saved_by: '' }
    await store.db.insertInto('policies').values(broken).execute()
    await expect(policies.decide(id, call('policy_read'))).rejects.toThrow(PolicyFailure)
    await expect(policies.decide(id, call('policy_read'))).rejects.toThrow(/line 1: "alow" is not known/)
    expect(await people.failure('check_call', { session: 'one', tool: 'x' })).toMatch(/cannot be used: line 1/)
    expect(await people.call('get_policy', { scope: 'session', target: 'one' })).toMatchObject({
      source: '- alow: x',
      rules: [],
      fault: expect.stringMatching(/^line 1/) as string,
    })
    await people.call('set_policy', { scope: 'session', target: 'one', source: '- allow: x' })
    expect(await policies.decide(id, call('x'))).toMatchObject({ effect: 'allow' })
  })

  test('an invalid policy in a template file lets no call of its sessions through', async () => {
    const { policies, templates, addSession } = await world()
    const id = await addSession('one')
    templates.set('shell', 'default: alow')
    await expect(policies.decide(id, call('policy_read'))).rejects.toThrow(PolicyFailure)
  })

  test('the policy stored with a session applies on every hub when its template file is missing', async () => {
    const { policies, templates, pass, another, addSession, store } = await world()
    templates.set('shell', '- deny: x')
    const id = await addSession('one')
    expect(await policies.decide(id, call('x'))).toMatchObject({ effect: 'deny' })
    templates.delete('shell')
    for (const hub of [policies, another()]) {
      pass(1_000)
      expect(await hub.decide(id, call('x'))).toMatchObject({ effect: 'deny', rule: 'template:shell#1' })
    }
    // Another hub has its own template files, which do not apply to this session.
    templates.set('shell', '- allow: x')
    await store.db.updateTable('sessions').set({ hub_id: 'hub-2' }).where('id', '=', id).execute()
    expect(await another().decide(id, call('x'))).toMatchObject({ effect: 'deny' })
    const unknown = await addSession('two')
    await store.db.updateTable('sessions').set({ hub_id: 'hub-2' }).where('id', '=', unknown).execute()
    await expect(another().decide(unknown, call('x'))).rejects.toThrow(PolicyFailure)
  })

  test('no call passes if the store is gone or the session is unknown', async () => {
    const { policies, store, pass, addSession } = await world()
    const id = await addSession('one')
    await expect(policies.decide('nobody', call('policy_read'))).rejects.toThrow(PolicyFailure)
    await policies.decide(id, call('policy_read'))
    await store.db.destroy()
    pass(1_000)
    await expect(policies.decide(id, call('policy_read'))).rejects.toThrow(PolicyFailure)
  })
})

describeOnEachEngine('the owner of a policy', (open) => {
  const world = () => openWorld(open)

  test('scope and target name the owner, and an unknown or missing owner is refused', async () => {
    const { people } = await world()
    const source = '- allow: x'
    expect(await people.failure('set_policy', { target: 'one', source })).toMatch(/the hub has one policy/)
    expect(await people.failure('set_policy', { scope: 'template', source })).toMatch(/name the template/)
    expect(await people.failure('set_policy', { scope: 'template', target: 'codx', source })).toMatch(/No template/)
    expect(await people.failure('set_policy', { scope: 'session', target: 'none', source })).toMatch(/No session/)
  })

  test('check_call decides as the real call would be decided, and explains why', async () => {
    const { people, policies, addSession } = await world()
    const id = await addSession('one')
    await people.call('set_policy', {
      source: 'default: deny\nlocked: true\nrules:\n- ask: x_*\n  when: {required: [a]}\n  reason: it costs',
    })
    const asked = await people.call('check_call', { session: 'one', tool: 'x_y', arguments: { a: 1 } }, ann)
    expect(asked).toMatchObject({
      effect: 'ask',
      rule: 'hub#1',
      reason: 'it costs',
      policy_version: 'hub@1',
      why: 'The rule hub#1 says ask for x_*, and its "when" holds for these arguments. Its reason: it costs',
      policies: [{ scope: 'hub', version: 1, default: 'deny', locked: true, rules: 1 }],
    })
    expect(await policies.decide(id, call('x_y', { a: 1 }))).toMatchObject({ effect: 'ask', rule: 'hub#1' })
    expect(await people.call('check_call', { session: id, tool: 'x_y' })).toMatchObject({
      effect: 'deny',
      why: 'No rule matches "x_y" with these arguments, so the default of hub counts, which is locked: deny.',
    })
  })

  test('check_call for reading says that prompts are not asked about by default', async () => {
    const { people, addSession } = await world()
    await addSession('one')
    const why = async () => (await people.call('check_call', { session: 'one', tool: 'github_read' }))['why']
    expect(await why()).toContain('prompts pass without a question')
    await people.call('set_policy', { source: 'default: ask\nrules:\n- ask: github_read' })
    expect(await why()).not.toContain('prompts')
  })
})
