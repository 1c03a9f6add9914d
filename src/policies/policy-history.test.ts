import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { createPolicyWorld } from '../../test/worlds/policy-world.ts'
import { openStore } from '../store/store.ts'

async function world() {
  const store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return createPolicyWorld(store)
}

test('lists the policies that apply: of the hub, of templates that have one, and of living sessions that have one', async () => {
  const { people, templates, addSession, store } = await world()
  templates.set('codex', '- ask: own_shell')
  await addSession('plain')
  await addSession('ruled')
  const ended = await addSession('ended')
  for (const target of ['ruled', 'ended'])
    await people.call('set_policy', { scope: 'session', target, source: '- allow: x' })
  await store.db.updateTable('sessions').set({ status: 'completed' }).where('id', '=', ended).execute()
  expect(await people.call('list_policies')).toEqual({
    policies: [
      { scope: 'hub', version: 0, origin: 'shipped' },
      { scope: 'template', target: 'codex', version: 0, origin: 'template-file' },
      expect.objectContaining({ scope: 'session', target: 'ruled', version: 1, origin: 'saved', saved_by: 'ann' }),
    ],
  })
})

test('the versions of a policy say what each changed, page by page', async () => {
  const { people } = await world()
  const sources = [
    'default: ask\nrules:\n- allow: x_get_*\n',
    'default: ask\nrules:\n- allow: x_get_*\n- ask: own_shell\n  reason: pushes leave this machine\n- deny: y\n',
    'default: ask\nrules:\n- deny: y\n- allow: x_get_*\n',
    'default: deny\nrules:\n- deny: y\n- allow: x_get_*\n',
    '# why\ndefault: deny\nrules:\n- deny: y\n- allow: x_get_*\n',
    '',
  ]
  for (const source of sources) await people.call('set_policy', { source })
  const first = await people.call<Versions>('list_policy_versions', { limit: 4 })
  const rest = await people.call<Versions>('list_policy_versions', { cursor: first.next_cursor })
  expect([...first.versions, ...rest.versions].map(({ version, summary }) => [version, summary])).toEqual([
    [6, 'removed'],
    [5, 'the same rules'],
    [4, 'default: deny'],
    [3, 'without ask own_shell'],
    [2, 'pushes leave this machine, and 1 more'],
    [1, 'the first version'],
  ])
  expect(rest.next_cursor).toBeUndefined()
})

interface Versions {
  readonly versions: readonly { readonly version: number; readonly summary: string }[]
  readonly next_cursor?: string
}

test('a policy is checked without saving it: its fault, the lines of its rules, and names that no tool has', async () => {
  const { people } = await world()
  const source =
    'rules:\n  - allow: github_get_*\n  - deny:\n      - github_get_isue\n      - mail_send\n      - own_shel\n'
  expect(await people.call('check_policy', { source })).toEqual({
    rules: [
      { number: 1, line: 2, effect: 'allow' },
      { number: 2, line: 3, effect: 'deny' },
    ],
    unknown_tools: [
      { line: 4, name: 'github_get_isue', did_you_mean: 'github_get_issue' },
      { line: 6, name: 'own_shel', did_you_mean: 'own_shell' },
    ],
  })
  expect(await people.call('check_policy', { source: 'default: ask\nrules:\n  - alow: x\n' })).toEqual({
    fault: { line: 3, message: expect.stringMatching(/^"alow" is not known here/) },
    rules: [],
    unknown_tools: [],
  })
  expect(await people.call('get_policy')).toMatchObject({ version: 0 })
  expect(await people.call('list_tool_names')).toMatchObject({
    tools: expect.arrayContaining(['github_get_issue', 'own_shell', 'terminal_send_text']),
    unlisted: ['mail'],
  })
})

test('one call is checked against a policy that is not saved', async () => {
  const { people, addSession } = await world()
  await addSession('one')
  const call = { session: 'one', tool: 'github_get_issue' }
  expect(await people.call('check_call', call)).toMatchObject({ effect: 'ask' })
  expect(await people.call('check_call', { ...call, source: '- deny: github_*' })).toMatchObject({
    effect: 'deny',
    rule: 'hub#1',
  })
  expect(
    await people.call('check_call', { ...call, source: '- deny: github_*', scope: 'template', target: 'shell' }),
  ).toMatchObject({ effect: 'deny', rule: 'template:shell#1' })
  await addSession('two')
  const elsewhere = { ...call, source: '- deny: github_*', scope: 'session', target: 'two' }
  expect(await people.failure('check_call', elsewhere)).toMatch(/does not apply to "one"/)
})
