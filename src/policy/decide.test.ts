import { expect, test } from 'vitest'
import type { Policy, PolicyPlace } from './compiled-policy.ts'
import { compileGrant, compilePolicy, couldDiffer, decide, PolicyFailure, poolPolicies } from './policy.ts'

const hub = { scope: 'hub', version: 3 } as const
const template = { scope: 'template', target: 'codex', version: 1 } as const
const session = { scope: 'session', target: 's1', version: 2 } as const

type Documents = readonly (readonly [PolicyPlace, string])[]

async function pooled(...documents: Documents) {
  return poolPolicies(await Promise.all(documents.map(([place, source]) => compilePolicy(source, place))))
}

const call = (tool: string, args: Record<string, unknown> = {}) => ({ tool, arguments: args })

test('the strictest match wins, in any scope and at any position', async () => {
  const pool = await pooled(
    [hub, '- allow: "github_*"\n- deny: github_merge\n  reason: not here\n'],
    [session, '- allow: github_merge\n- abort: github_delete\n'],
  )
  expect(decide(pool, [], call('github_get'))).toMatchObject({ effect: 'allow', rule: 'hub#1' })
  expect(decide(pool, [], call('github_merge'))).toMatchObject({ effect: 'deny', rule: 'hub#2', reason: 'not here' })
  expect(decide(pool, [], call('github_delete'))).toMatchObject({ effect: 'abort', rule: 'session#2' })
})

test('names the first rule of the widest scope among equally strict rules', async () => {
  const pool = await pooled([session, '- deny: "*"'], [template, '- deny: a\n- deny: "a*"'], [hub, '- ask: a'])
  expect(decide(pool, [], call('a')).rule).toBe('template:codex#1')
  expect(decide(pool, [], call('ab')).rule).toBe('template:codex#2')
  expect(decide(pool, [], call('b')).rule).toBe('session#1')
})

test('a rule with a condition matches the calls for which it holds', async () => {
  const pool = await pooled([
    hub,
    'default: allow\nrules:\n- deny: "*"\n  when: {properties: {repo: {const: prod}}, required: [repo]}',
  ])
  expect(decide(pool, [], call('x', { repo: 'prod' })).effect).toBe('deny')
  expect(decide(pool, [], call('x', { repo: 'docs' })).effect).toBe('allow')
})

test('uses the default of the narrowest scope if no rule matches, and asks if there is no default', async () => {
  const fallback = async (...documents: Documents) => decide(await pooled(...documents), [], call('x'))
  expect(await fallback([hub, 'default: deny'], [session, 'default: allow'])).toMatchObject({ effect: 'allow' })
  expect(await fallback([hub, 'default: deny'], [session, '- allow: y'])).toMatchObject({ effect: 'deny' })
  expect(await fallback([hub, '- allow: y'])).toMatchObject({ effect: 'ask' })
  expect(await fallback()).toEqual({ effect: 'ask', policyVersion: '' })
})

test('a narrower scope cannot change a locked default, and the widest lock wins', async () => {
  const fallback = async (...documents: Documents) => (await pooled(...documents)).fallback
  const allow = [session, 'default: allow'] as const
  expect(await fallback([hub, 'default: ask\nlocked: true'], [template, 'default: deny'], allow)).toEqual({
    effect: 'ask',
    from: 'hub',
  })
  expect(await fallback([hub, 'default: ask'], [template, 'default: deny\nlocked: true'], allow)).toEqual({
    effect: 'deny',
    from: 'template:codex',
  })
  const [widest, narrower] = [
    [hub, 'default: abort\nlocked: true'] as const,
    [template, 'default: deny\nlocked: true'] as const,
  ]
  expect(await fallback(widest, narrower, allow)).toEqual({ effect: 'abort', from: 'hub' })
})

test('a locked default does not keep rules from matching', async () => {
  const pool = await pooled([hub, 'default: deny\nlocked: true'], [session, '- allow: x'])
  expect(decide(pool, [], call('x')).effect).toBe('allow')
})

test('a grant turns ask into allow, by rule or by default, and never overrides deny or abort', async () => {
  const pool = await pooled([
    hub,
    '- ask: asked\n  reason: costs money\n- deny: denied\n- abort: aborted\n- allow: allowed\n',
  ])
  const grants = [await compileGrant({ id: 'g0', tool: 'other' }), await compileGrant({ id: 'g1', tool: '*' })]
  expect(decide(pool, grants, call('asked'))).toEqual({
    effect: 'allow',
    rule: 'hub#1',
    grant: 'g1',
    policyVersion: 'hub@3',
  })
  expect(decide(pool, grants, call('unnamed'))).toEqual({ effect: 'allow', grant: 'g1', policyVersion: 'hub@3' })
  expect(decide(pool, grants, call('denied'))).toMatchObject({ effect: 'deny' })
  expect(decide(pool, grants, call('aborted'))).toMatchObject({ effect: 'abort' })
  expect(decide(pool, grants, call('allowed'))).not.toHaveProperty('grant')
})

test('a rule for an alias can forbid or ask but not allow, and a grant for the tool answers it', async () => {
  const aliased = { tool: 'up_wipe-disk', aliases: ['wipe-disk', 'up_wipe_disk'], arguments: {} }
  const verdict = async (source: string) => decide(await pooled([hub, source]), [], aliased)
  expect(await verdict('default: allow\nrules: [{ deny: up_wipe_disk }]')).toMatchObject({
    effect: 'deny',
    rule: 'hub#1',
  })
  expect(await verdict('default: deny\nrules: [{ allow: up_wipe_disk }]')).toMatchObject({ effect: 'deny' })
  expect(await verdict('default: deny\nrules: [{ allow: up_wipe-disk }]')).toMatchObject({ effect: 'allow' })
  const grant = await compileGrant({ id: 'g1', tool: 'up_wipe-disk' })
  const pool = await pooled([hub, 'default: allow\nrules: [{ ask: "up_*" }]'])
  expect(decide(pool, [grant], aliased)).toMatchObject({ effect: 'allow', grant: 'g1' })
})

test('a decision on one combination of names never affects another', async () => {
  const pool = await pooled([hub, 'default: allow\nrules: [{ abort: up_wipe-disk }]'])
  const effectOf = (tool: string, ...aliases: string[]) => decide(pool, [], { tool, aliases, arguments: {} }).effect
  expect(effectOf('up_wipe-disk up_wipe_disk')).toBe('allow')
  expect(effectOf('up_wipe-disk,up_wipe_disk')).toBe('allow')
  expect(effectOf('up_wipe-disk', 'up_wipe_disk')).toBe('abort')
})

test('the version names all pooled documents, widest scope first', async () => {
  expect((await pooled([session, ''], [hub, ''], [template, ''])).version).toBe('hub@3+template:codex@1+session@2')
  expect((await pooled([{ ...hub, version: 0, digest: 'ab12' }, ''])).version).toBe('hub@0.ab12')
})

test('a rule that cannot be evaluated fails the decision, even if it could only allow', async () => {
  const policy: Policy = await compilePolicy(
    'default: allow\nrules:\n- allow: "*"\n  when: {required: [a]}\n- ask: y',
    hub,
  )
  const [rule] = policy.rules
  const broken = {
    ...rule!,
    condition: {
      dependsOn: () => true,
      holds() {
        throw new RangeError('Maximum call stack size exceeded')
      },
    },
  }
  const pool = poolPolicies([{ ...policy, rules: [broken, ...policy.rules.slice(1)] }])
  expect(() => decide(pool, [], call('x'))).toThrow(PolicyFailure)
  expect(() => decide(pool, [], call('x'))).toThrow(/rule hub#1 failed: Maximum call stack/)
})

test('a grant that cannot be evaluated fails the decision too', async () => {
  const grant = {
    id: 'g1',
    matches() {
      throw new Error('no')
    },
  }
  expect(() => decide(poolPolicies([]), [grant], call('x'))).toThrow(/grant g1 failed: no/)
})

test('decides correctly for more tools than its cache holds', async () => {
  const pool = await pooled([hub, '- deny: "a*"\n- allow: "*"'])
  for (let count = 0; count < 2_500; count++) {
    expect(decide(pool, [], call(`b${count}`)).effect).toBe('allow')
    expect(decide(pool, [], call(`a${count}`)).effect).toBe('deny')
  }
})

test('unknown arguments can change the effect only if a rule depends on them', async () => {
  const dependsOnToken = 'when: {properties: {token: {const: x}}, required: [token]}'
  const differs = async (source: string) =>
    couldDiffer(await pooled([hub, source]), call('x', { token: '[redacted]', repo: 'a' }), ['token'])
  expect(await differs(`- deny: x\n  ${dependsOnToken}`)).toBe(true)
  expect(await differs(`- deny: y\n  ${dependsOnToken}`)).toBe(false)
  expect(await differs(`- deny: x\n  when: {properties: {repo: {const: b}}, required: [repo]}`)).toBe(false)
  expect(await differs(`- deny: x\n  ${dependsOnToken}\n- abort: x`)).toBe(false)
  expect(await differs(`- deny: x\n  ${dependsOnToken}\n- deny: x`)).toBe(false)
  expect(await differs(`- ask: x\n  ${dependsOnToken}`)).toBe(false)
  expect(await differs(`- allow: x\n  ${dependsOnToken}`)).toBe(true)
  expect(await differs(`- deny: x\n  ${dependsOnToken}\n- ask: x`)).toBe(true)
})

test('the default does not apply to own tools: without a rule, the settings of the agent decide', async () => {
  const pool = await pooled([
    hub,
    'default: deny\nrules:\n- deny: own_shell\n  when: {properties: {command: {pattern: "^rm "}}}',
  ])
  const shell = (command: string, agentAsks = false) => ({ ...call('own_shell', { command }), agentAsks })
  expect(decide(pool, [], shell('ls'))).toEqual({ effect: 'allow', policyVersion: pool.version })
  expect(decide(pool, [], shell('ls', true))).toEqual({ effect: 'ask', policyVersion: pool.version })
  expect(decide(pool, [], shell('rm x', true))).toMatchObject({ effect: 'deny', rule: 'hub#1' })
  const grant = await compileGrant({ id: 'g1', tool: 'own_shell' })
  expect(decide(pool, [grant], shell('ls', true))).toMatchObject({ effect: 'allow', grant: 'g1' })
  expect(decide(pool, [], call('owner_shell')).effect).toBe('deny')
})
