import { expect, onTestFinished, test } from 'vitest'
import { createPolicyWorld } from '../../test/worlds/policy-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { Effect } from '../api/policy.ts'
import { openStore } from '../store/store.ts'

interface Simulation {
  readonly calls: number
  readonly unchanged: number
  readonly uncertain: number
  readonly changed: readonly { readonly tool: string; readonly event: string }[]
  readonly changes: readonly { readonly before: string; readonly after: string; readonly count: number }[]
  readonly groups: readonly unknown[]
  readonly truncated: boolean
  readonly from?: string
  readonly to?: string
}

async function world() {
  const store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const opened = await createPolicyWorld(store)
  const { events, people, addSession } = opened
  const session = await addSession('one')
  return {
    ...opened,
    session,
    /** Records a call as the gateway does. */
    record: (tool: string, effect: Effect, more: Record<string, unknown> = {}, of = session) =>
      events.append({
        type: 'tool-called',
        session: of,
        payload: { tool, arguments: {}, decision: { effect, policy_version: 'hub@0.ab' }, ...more },
      }),
    simulate: (source: string, more: Record<string, unknown> = {}) =>
      people.call<Simulation>('simulate_policy', { source, ...more }),
  }
}

test('the simulation shows which recorded calls would be decided differently, with both effects and the rule', async () => {
  const { record, simulate, session } = await world()
  await record('x_get', 'ask')
  const merged = await record('x_merge', 'ask', { arguments: { repo: 'prod' } })
  await record('y', 'allow')
  const result = await simulate(
    'default: ask\nrules:\n- allow: y\n- deny: x_merge\n  when: {properties: {repo: {const: prod}}, required: [repo]}\n',
  )
  expect(result).toMatchObject({ calls: 3, unchanged: 2, uncertain: 0, truncated: false })
  expect(result.changed).toEqual([
    { event: merged.id, at: merged.at, session, tool: 'x_merge', before: 'ask', after: 'deny', rule: 'hub#2' },
  ])
  expect(result.changes).toEqual([{ before: 'ask', after: 'deny', count: 1 }])
})

test('the simulation saves nothing, and refuses an invalid policy with its line', async () => {
  const { record, simulate, people } = await world()
  await record('x', 'ask')
  await simulate('default: allow')
  expect(await people.call('get_policy')).toMatchObject({ version: 0 })
  expect(await people.failure('simulate_policy', { source: 'default: alow' })).toMatch(/^"source", line 1: /)
})

test('the simulation keeps the other policies of a session as they are now', async () => {
  const { record, simulate, people, addSession } = await world()
  await people.call('set_policy', { scope: 'session', target: 'one', source: '- deny: x' })
  await record('x', 'deny')
  await record('x', 'ask', {}, await addSession('two'))
  expect(await simulate('- allow: "*"')).toMatchObject({
    calls: 2,
    unchanged: 1,
    changes: [{ before: 'ask', after: 'allow', count: 1 }],
  })
})

test('a policy of a template or a session is tried on its own calls only', async () => {
  const { record, simulate, templates, addSession, store } = await world()
  const other = await addSession('two')
  await store.db.updateTable('sessions').set({ template: 'codex' }).where('id', '=', other).execute()
  templates.set('codex', undefined)
  await record('x', 'ask')
  await record('x', 'ask', {}, other)
  await record('x', 'ask', {}, other)
  expect(await simulate('- allow: x', { scope: 'template', target: 'codex' })).toMatchObject({ calls: 2 })
  expect(await simulate('- allow: x', { scope: 'session', target: 'one' })).toMatchObject({ calls: 1 })
  expect(await simulate('- allow: x')).toMatchObject({ calls: 3 })
})

test('calls of removed sessions are replayed under the template that their record names', async () => {
  const { record, simulate, templates } = await world()
  templates.set('codex', undefined)
  const decision = { effect: 'ask', policy_version: 'hub@1+template:codex@2' }
  await record('x', 'ask', { decision }, 'gone')
  expect(await simulate('- allow: x', { scope: 'template', target: 'codex' })).toMatchObject({ calls: 1 })
  expect(await simulate('- allow: x', { scope: 'template', target: 'shell' })).toMatchObject({ calls: 0 })
})

test('a call is uncertain if a rule depends on a value that the record does not keep', async () => {
  const { record, simulate } = await world()
  await record('x', 'ask', { arguments: { api_key: 'abcdefgh', repo: 'a' } })
  await record('x', 'ask', { arguments: { text: '[not recorded]' } })
  await record('x', 'ask', { arguments: { repo: 'a' } })
  const byKey = '- deny: x\n  when: {properties: {api_key: {const: abcdefgh}}, required: [api_key]}'
  expect(await simulate(byKey)).toMatchObject({ calls: 3, uncertain: 1, unchanged: 2, changed: [] })
  const byText = '- deny: x\n  when: {properties: {text: {pattern: rm}}, required: [text]}'
  expect(await simulate(byText)).toMatchObject({ calls: 3, uncertain: 1, unchanged: 2 })
  const byRepo = '- deny: x\n  when: {properties: {repo: {const: a}}, required: [repo]}'
  expect(await simulate(byRepo)).toMatchObject({ calls: 3, uncertain: 0, unchanged: 1 })
})

test('a grant that allowed a call would allow it again, and calls of people are ignored', async () => {
  const { record, simulate, events } = await world()
  await record('x', 'allow', { decision: { effect: 'allow', grant: 'g1', policy_version: 'hub@1' } })
  await events.append({ type: 'tool-called', payload: { tool: 'kill_session', arguments: {}, role: 'human' } })
  expect(await simulate('- ask: x')).toMatchObject({ calls: 1, unchanged: 1 })
  expect(await simulate('- deny: x')).toMatchObject({ calls: 1, changes: [{ before: 'allow', after: 'deny' }] })
})

test('the time and the number of calls can be limited, and the result says what it covers', async () => {
  const { record, simulate } = await world()
  const recorded = []
  for (let count = 0; count < 12; count++) recorded.push(await record('x', 'ask'))
  expect(await simulate('- deny: x', { limit: 5 })).toMatchObject({
    calls: 5,
    truncated: true,
    from: recorded[0]!.at,
    to: recorded[4]!.at,
  })
  expect(await simulate('- deny: x', { limit: 12 })).toMatchObject({ calls: 12, truncated: false })
  expect(await simulate('- deny: x', { since: '1h' })).toMatchObject({ calls: 12 })
  expect(await simulate('- deny: x', { until: '1h' })).toMatchObject({ calls: 0, changed: [] })
  expect(await simulate('- deny: x', { until: '2020-01-01T00:00:00Z' })).toMatchObject({ calls: 0 })
})

test('the simulation counts thousands of calls and lists the first that change', async () => {
  const { record, simulate } = await world()
  // In parts: a session may have a thousand events that wait to be written.
  for (let from = 0; from < 2_500; from += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, index) => record(`x_${(from + index) % 7}`, 'ask')))
  }
  const result = await simulate('- deny: x_0\n- allow: x_1')
  expect(result.calls).toBe(2_500)
  expect(result.changed).toHaveLength(200)
  expect(result.changes.reduce((sum, { count }) => sum + count, 0) + result.unchanged).toBe(2_500)
})

test('refused calls that would now pass are counted, and calls that are decided alike are grouped', async () => {
  const { record, simulate, events, session } = await world()
  const decide = (parent: string, status: 'denied' | 'approved') =>
    events.append({
      type: 'approval-decided',
      session,
      parent,
      payload: { approval: parent, tool: 'x_push', digest: 'd', status, policy_version: 'hub@0.ab' },
    })
  const denied = await record('x_push', 'ask', { arguments: { force: true, branch: 'main' } })
  const approved = await record('x_push', 'ask')
  await record('x_drop', 'ask')
  await decide(denied.id, 'denied')
  await decide(approved.id, 'approved')
  const result = await simulate('- allow: x_push\n- deny: x_drop\n')
  expect(result.groups).toEqual([
    {
      tool: 'x_push',
      before: 'ask',
      after: 'allow',
      rule: 'hub#1',
      count: 2,
      refused: 1,
      sessions: ['one'],
      example: 'main',
    },
    { tool: 'x_drop', before: 'ask', after: 'deny', rule: 'hub#2', count: 1, refused: 0, sessions: ['one'] },
  ])
  expect(result.changed).toMatchObject([{ answer: 'denied' }, { tool: 'x_push' }, { tool: 'x_drop' }])
})
