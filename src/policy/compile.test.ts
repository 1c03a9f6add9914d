import { expect, test } from 'vitest'
import { HubError } from '../base/hub-error.ts'
import { compileGrant, compilePolicy } from './policy.ts'

const hub = { scope: 'hub', version: 3 } as const

async function refusal(source: string): Promise<string> {
  const outcome: unknown = await compilePolicy(source, hub).catch((error: unknown) => error)
  if (!(outcome instanceof HubError)) throw new Error('it was not refused', { cause: outcome })
  return outcome.message
}

test('YAML and JSON say the same', async () => {
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

test('nothing at all, and rules that are all commented out, say nothing', async () => {
  for (const source of ['', '# only words\n', 'rules:\n  # - allow: x\n', '{}', '[]']) {
    expect(await compilePolicy(source, hub)).toMatchObject({ rules: [], isLocked: false })
  }
})

test('a list alone is its rules, and its lines are counted right', async () => {
  expect((await compilePolicy('- allow: x\n- deny: y\n', hub)).rules).toMatchObject([
    { tools: ['x'] },
    { tools: ['y'] },
  ])
  expect(await refusal('- allow: x\n- deny: y\n  wen: {}\n')).toMatch(/^line 3: "wen"/)
})

test('rules are named by the place of their document', async () => {
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
  ['rules:\n  - allow: a\n  - reason: nothing\n', /^line 3: a rule says one of allow, ask, deny, abort/],
  ['rules:\n  - allow: a\n    deny: b\n', /^line 2: a rule has one effect, and this one says allow and deny/],
  ['rules:\n  - allow: a\n    whem: {}\n', /^line 3: "whem" is not known here; a rule has/],
  ['rules:\n  - allow:\n      - a\n      - 7\n', /^line 4: "allow": write the name of a tool/],
  ['rules:\n  - allow: []\n', /^line 2: "allow": names no tool/],
  ['rules:\n  - allow: "{a,b}"\n', /^line 2: "allow": "\{a,b\}" has "\{" in it/],
  ['rules:\n  - allow: a\n    reason: 7\n', /^line 3: "reason": write a sentence/],
  ['rules:\n  - allow: a\n    when: yes\n', /^line 3: "when": write a JSON Schema/],
  ['rules:\n  - allow: a\n    match: a\n', /^line 3: "match": write a list of calls/],
  ['rules:\n  - allow: a\n    match: [{tol: a}]\n', /^line 3: "(match|tool|tol)"/],
  ['locked: true\n', /^line 1: "locked": .*add "default: ask"/],
  ['locked: 1\ndefault: ask\n', /^line 1: "locked": write true or false/],
  ['a: [1\n', /^line \d: this is no YAML/],
  ['default: ask\ndefault: allow\n', /^line 2: this is no YAML: Map keys must be unique/],
  ['!!js/function x', /^line 1: this is no YAML: Unresolved tag/],
  ['default: ask\n---\ndefault: allow\n', /^line \d: this is no YAML/],
  ['[1, 2', /^line 1: this is no YAML/],
  ['seven', /^line 1: a policy is a map/],
])('a broken document is refused with its line: %j', async (source, expected) => {
  expect(await refusal(source)).toMatch(expected)
})

test('an example that the rule misses, or must not match, refuses the document at its line', async () => {
  const rule = 'rules:\n  - deny: "github_*"\n    when: {properties: {repo: {const: prod}}, required: [repo]}\n'
  const kept = `${rule}    match:\n      - {tool: github_merge, arguments: {repo: prod}}\n    not_match:\n      - github_merge\n`
  await compilePolicy(kept, hub)
  expect(await refusal(`${rule}    match:\n      - github_merge\n`)).toMatch(/^line 5: .*"when" does not hold/)
  expect(await refusal(`${rule}    match:\n      - gitlab_merge\n`)).toMatch(
    /^line 5: .*\(github_\*\) fits "gitlab_merge"/,
  )
  expect(
    await refusal(`${rule}    not_match:\n      - a\n      - {tool: github_x, arguments: {repo: prod}}\n`),
  ).toMatch(/^line 6: the rule matches "github_x"/)
})

test('documents that would fill the memory are refused before they do', async () => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`,
  )
  expect(await refusal(levels.join('\n'))).toMatch(/cannot be unfolded: Excessive alias count/)
  expect(await refusal('rules:\n  - allow: a\n    when: &w {properties: {x: *w}}\n')).toMatch(/cannot be unfolded/)
  for (const deep of ['[', '{a: ', '- ', '? ', '[\n']) {
    expect(await refusal(`default: ask\n${deep.repeat(40_000)}`)).toMatch(/^line \d+: this is nested too deeply/)
  }
  expect(await refusal(`# ${'x'.repeat(300_000)}`)).toMatch(/^A policy may have 262144 bytes; this one has 300002\./)
  expect(await refusal(`[${'{allow: a},'.repeat(10_001)}]`)).toMatch(/more than 10000 rules/)
})

test('anchors save writing', async () => {
  const source = 'rules:\n  - deny: "a_*"\n    when: &prod {required: [prod]}\n  - deny: "b_*"\n    when: *prod\n'
  expect((await compilePolicy(source, hub)).rules[1]?.when).toEqual({ required: ['prod'] })
})

test('a grant matches by name and by arguments, and a broken one is refused', async () => {
  const grant = await compileGrant({ id: 'g1', tool: 'files_*', when: { required: ['path'] } })
  expect(grant.matches({ tool: 'files_write', arguments: { path: '/a' } })).toBe(true)
  expect(grant.matches({ tool: 'files_write', arguments: {} })).toBe(false)
  expect(grant.matches({ tool: 'other_write', arguments: { path: '/a' } })).toBe(false)
  await expect(compileGrant({ id: 'g2', tool: 'a{b}' })).rejects.toThrow(/^"tool": "a\{b\}" has "\{" in it/)
  await expect(compileGrant({ id: 'g3', tool: 'a', when: { type: 'strin' } })).rejects.toThrow(/no JSON Schema/)
})
