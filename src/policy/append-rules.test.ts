import { expect, test } from 'vitest'
import { appendRules, compilePolicy } from './policy.ts'

const hub = { scope: 'hub', version: 1 } as const

test('adds rules at the end and keeps the existing text', async () => {
  const source = '# ours\ndefault: ask # always\n\nrules:\n  # first\n  - allow: "x_*"\n\n  - deny: y\n'
  const added = await appendRules(source, '- allow: z\n  when: { required: [a] }\n', 'proposal p1: tests\nneed it')
  expect(added.startsWith(source)).toBe(true)
  expect(added.slice(source.length)).toBe(
    '  # proposal p1: tests\n  # need it\n  - allow: z\n    when:\n      required:\n        - a\n',
  )
  expect((await compilePolicy(added, hub)).rules.map(({ tools }) => tools)).toEqual([['x_*'], ['y'], ['z']])
})

test.each([
  ['', '- deny: a', ['a']],
  ['# nothing yet\n', '- deny: a', ['a']],
  ['default: ask\n', 'rules: [{deny: a}]', ['a']],
  ['default: ask\nrules:\n', '- deny: a', ['a']],
  ['- deny: a\n', '{"rules": [{"deny": "b"}]}', ['a', 'b']],
  ['{"default": "ask", "rules": [{"deny": "a"}]}', '- deny: b', ['a', 'b']],
  [
    'rules:\n  - deny: a\n    when: &w {required: [x]}\n',
    '- {deny: b, when: &w {required: [y]}}\n- {deny: c, when: *w}',
    ['a', 'b', 'c'],
  ],
])('adds to %j the rules %j', async (source, addition, expected) => {
  const { rules } = await compilePolicy(await appendRules(source, addition, 'why'), hub)
  expect(rules.flatMap(({ tools }) => tools)).toEqual(expected)
})

test('a JSON document stays JSON', async () => {
  const added = await appendRules('{"rules": [{"deny": "a"}]}', '- deny: b\n', 'why')
  expect(JSON.parse(added)).toEqual({ rules: [{ deny: 'a' }, { deny: 'b' }] })
})

test('anchors in the added rules keep their meaning', async () => {
  const source = 'rules:\n  - deny: a\n    when: &w {required: [x]}\n'
  const added = await appendRules(source, '- {deny: b, when: &w {required: [y]}}\n- {deny: c, when: *w}', 'why')
  expect((await compilePolicy(added, hub)).rules.map(({ when }) => when?.['required'])).toEqual([['x'], ['y'], ['y']])
})
