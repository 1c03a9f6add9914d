import { expect, test } from 'vitest'
import { HubError } from '../base/hub-error.ts'
import { longestTurn } from '../../test/fixtures/longest-turn.ts'
import { compileGrant, compilePolicy, decide, PolicyFailure, poolPolicies } from './policy.ts'

const hub = { scope: 'hub', version: 3 } as const

async function refusal(source: string): Promise<string> {
  const outcome: unknown = await compilePolicy(source, hub).catch((error: unknown) => error)
  if (!(outcome instanceof HubError)) throw new Error('it was not refused', { cause: outcome })
  return outcome.message
}

test('YAML and JSON mean the same', async () => {
  const yaml = await compilePolicy('default: deny\nlocked: true\nrules:\n  - allow: [a_*, b_x]\n    reason: why\n', hub)
  const json = await compilePolicy(
    '{"default": "deny", "locked": true, "rules": [{"allow": ["a_*", "b_x"], "reason": "why"}]}',
    hub,
  )
  for (const { default: fallback, isLocked, rules } of [yaml, json]) {
    expect({ fallback, isLocked }).toEqual({ fallback: 'deny', isLocked: true })
    expect(rules).toMatchObject([{ name: 'hub#1', effect: 'allow', tools: ['a_*', 'b_x'], reason: 'why' }])
  }
})

test('an empty document, or one with only comments, is an empty policy', async () => {
  for (const source of ['', '# only words\n', 'rules:\n  # - allow: x\n', '{}', '[]']) {
    expect(await compilePolicy(source, hub)).toMatchObject({ rules: [], isLocked: false })
  }
})

test('a list is taken as the rules, and line numbers are right', async () => {
  expect((await compilePolicy('- allow: x\n- deny: y\n', hub)).rules).toMatchObject([
    { tools: ['x'] },
    { tools: ['y'] },
  ])
  expect(await refusal('- allow: x\n- deny: y\n  wen: {}\n')).toMatch(/^line 3: "wen"/)
})

test('names rules by the scope of their document', async () => {
  const named = async (place: Parameters<typeof compilePolicy>[1]) =>
    (await compilePolicy('- allow: x\n- allow: y', place)).rules[1]?.name
  expect(await named(hub)).toBe('hub#2')
  expect(await named({ scope: 'template', target: 'codex', version: 1 })).toBe('template:codex#2')
  expect(await named({ scope: 'session', target: 's1', version: 1 })).toBe('session#2')
})

test.each([
  ['default: maybe', /^line 1: "default": write one of allow, ask, deny, abort\./],
  ['default: ask\nrulez: []\n', /^line 2: "rulez" is not known here; a policy has default, locked and rules\./],
  ['rules: allow\n', /^line 1: "rules": write a list/],
  ['rules:\n  - allow\n', /^line 2: a rule is a map such as/],
  ['rules:\n  - allow: a\n  - reason: nothing\n', /^line 3: a rule needs one of allow, ask, deny, abort/],
  ['rules:\n  - allow: a\n    deny: b\n', /^line 2: a rule has one effect, but this one has allow and deny/],
  ['rules:\n  - allow: a\n    whem: {}\n', /^line 3: "whem" is not known here; a rule has/],
  ['rules:\n  - allow:\n      - a\n      - 7\n', /^line 4: "allow": write the name of a tool/],
  ['rules:\n  - allow: []\n', /^line 2: "allow": names no tool/],
  ['rules:\n  - allow: "{a,b}"\n', /^line 2: "allow": "\{a,b\}" contains "\{"/],
  ['rules:\n  - allow: a\n    reason: 7\n', /^line 3: "reason": write a sentence/],
  ['rules:\n  - allow: a\n    when: yes\n', /^line 3: "when": write a JSON Schema/],
  ['rules:\n  - allow: a\n    match: a\n', /^line 3: "match": write a list of calls/],
  ['rules:\n  - allow: a\n    match: [{tol: a}]\n', /^line 3: "(match|tool|tol)"/],
  ['locked: true\n', /^line 1: "locked": .*Add "default: ask"/],
  ['locked: 1\ndefault: ask\n', /^line 1: "locked": write true or false/],
  ['a: [1\n', /^line \d: this is not YAML/],
  ['default: ask\ndefault: allow\n', /^line 2: this is not YAML: Map keys must be unique/],
  ['!!js/function x', /^line 1: this is not YAML: Unresolved tag/],
  ['default: ask\n---\ndefault: allow\n', /^line \d: this is not YAML/],
  ['[1, 2', /^line 1: this is not YAML/],
  ['seven', /^line 1: a policy is a map/],
])('refuses a broken document with its line: %j', async (source, expected) => {
  expect(await refusal(source)).toMatch(expected)
})

test('refuses a document with an example that contradicts its rule, with the line of the example', async () => {
  const rule = 'rules:\n  - deny: "github_*"\n    when: {properties: {repo: {const: prod}}, required: [repo]}\n'
  const valid = `${rule}    match:\n      - {tool: github_merge, arguments: {repo: prod}}\n    not_match:\n      - github_merge\n`
  await compilePolicy(valid, hub)
  expect(await refusal(`${rule}    match:\n      - github_merge\n`)).toMatch(/^line 5: .*"when" does not hold/)
  expect(await refusal(`${rule}    match:\n      - gitlab_merge\n`)).toMatch(
    /^line 5: .*\(github_\*\) matches "gitlab_merge"/,
  )
  expect(
    await refusal(`${rule}    not_match:\n      - a\n      - {tool: github_x, arguments: {repo: prod}}\n`),
  ).toMatch(/^line 6: the rule matches "github_x"/)
})

test('refuses documents that would fill the memory before they do', async () => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`,
  )
  expect(await refusal(levels.join('\n'))).toMatch(/cannot be expanded: Excessive alias count/)
  expect(await refusal('rules:\n  - allow: a\n    when: &w {properties: {x: *w}}\n')).toMatch(/cannot be expanded/)
  for (const deep of ['[', '{a: ', '- ', '? ', '[\n']) {
    expect(await refusal(`default: ask\n${deep.repeat(40_000)}`)).toMatch(/^line \d+: this is nested too deeply/)
  }
  expect(await refusal(`# ${'x'.repeat(300_000)}`)).toMatch(
    /^A policy may have at most 262144 bytes, but this one has 300002\./,
  )
  expect(await refusal(`[${'{allow: a},'.repeat(10_001)}]`)).toMatch(/more than 10000 rules/)
})

/** No part repeats, so that an engine cannot reuse its cached states. */
function noise(length: number): string {
  let seed = 1
  return Array.from({ length }, () => 'ab'[(seed = (seed * 48_271) % 2_147_483_647) & 1]).join('')
}

const slowRule = (count: number) => `{deny: t, when: {properties: {x: {pattern: "a[ab]{${count}}[0-9]"}}}`
const largeParts = Array.from({ length: 150 }, () => '{type: object}').join(', ')
const manyLarge = Array.from({ length: 49 }, (_, n) => `- {deny: t, when: {title: "${n}", allOf: *p}}`).join('\n')
const manyKeys = Array.from({ length: 3_000 }, (_, n) => `k${n}: 1`).join(', ')

test.each([
  [
    'a pattern that is too large',
    `- {deny: t, when: {properties: {x: {pattern: "(?:a|b|ab|ba|aa|bb){900}[0-9]"}}}}`,
    /^line 1: .*expands to \d+ steps; at most 500/,
  ],
  [
    'one long example for many slow patterns',
    [
      `- ${slowRule(400)}, not_match: [&e {tool: t, arguments: {x: ${noise(8_000)}}}]}`,
      ...Array.from({ length: 49 }, (_, n) => `- ${slowRule(401 + n)}, not_match: [*e]}`),
    ].join('\n'),
    /^line \d+: checking the examples takes too long\. Write fewer or shorter ones/,
  ],
  [
    'an example too long for its pattern',
    `- ${slowRule(400)}, match: [{tool: t, arguments: {x: ${noise(15_000)}}}]}`,
    /^line 1: the hub cannot check this example: .*a text of 15000 characters is too long for the pattern/,
  ],
  [
    'aliases of something long',
    `- {deny: t, match: [&a {tool: t, arguments: {x: ${'x'.repeat(10_000)}}}${', *a'.repeat(900)}]}`,
    /^line 1: the aliases of the document cannot be expanded: with all aliases expanded/,
  ],
  ['too many examples', `- {deny: t, match: [${'t, '.repeat(1_001)}]}`, /at most 1000 examples/],
  [
    'many large conditions',
    `- {deny: t, when: {allOf: &p [${largeParts}]}}\n${manyLarge}`,
    /^line \d+: the conditions of this policy are too large together/,
  ],
  [
    'thousands of keys, and one twice',
    `- {deny: t, match: [{tool: t, arguments: {${manyKeys}, k7: 2}}]}`,
    /^line 1: this is not YAML: Map keys must be unique/,
  ],
])('refuses a document with %s without blocking the hub', async (_what, source, expected) => {
  await compilePolicy(`- ${slowRule(1)}}`, hub)
  const turn = await longestTurn(async () => expect(await refusal(source)).toMatch(expected))
  expect(turn).toBeLessThan(600)
})

test('does not decide a call whose arguments take too long to check, even if the rules would allow it', async () => {
  const rules = Array.from({ length: 50 }, (_, n) => `- ${slowRule(400 + n).replace('deny', 'allow')}}`)
  const pool = poolPolicies([await compilePolicy(`default: allow\nrules:\n  ${rules.join('\n  ')}\n`, hub)])
  const deciding = (length: number) => () => decide(pool, [], { tool: 't', arguments: { x: noise(length) } })
  expect(deciding(10)().effect).toBe('allow')
  expect(deciding(8_000)).toThrow(PolicyFailure)
  expect(deciding(8_000)).toThrow(
    /rule hub#\d+ failed: the decision takes too long\. Call the tool with shorter arguments/,
  )
  expect(deciding(100_000)).toThrow(/a text of 100000 characters is too long for the pattern/)
  expect(await longestTurn(async () => expect(deciding(8_000)).toThrow(PolicyFailure))).toBeLessThan(600)
  expect(deciding(10)().effect).toBe('allow')
})

test('supports YAML anchors', async () => {
  const source = 'rules:\n  - deny: "a_*"\n    when: &prod {required: [prod]}\n  - deny: "b_*"\n    when: *prod\n'
  expect((await compilePolicy(source, hub)).rules[1]?.when).toEqual({ required: ['prod'] })
})

test('a grant matches by name and by arguments, and a broken one is refused', async () => {
  const grant = await compileGrant({ id: 'g1', tool: 'files_*', when: { required: ['path'] } })
  expect(grant.matches({ tool: 'files_write', arguments: { path: '/a' } })).toBe(true)
  expect(grant.matches({ tool: 'files_write', arguments: {} })).toBe(false)
  expect(grant.matches({ tool: 'other_write', arguments: { path: '/a' } })).toBe(false)
  await expect(compileGrant({ id: 'g2', tool: 'a{b}' })).rejects.toThrow(/^"tool": "a\{b\}" contains "\{"/)
  await expect(compileGrant({ id: 'g3', tool: 'a', when: { type: 'strin' } })).rejects.toThrow(/not a JSON Schema/)
})
