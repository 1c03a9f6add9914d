import { expect, test } from 'vitest'
import { completePolicy } from '../../web/policy/complete-policy.ts'

const tools = ['github_get_issue', 'own_shell']

test.each([
  ['an effect', 'default: a', ['allow', 'ask', 'deny', 'abort']],
  ['the keys of a policy', 'def', ['default: ', 'locked: ', 'rules:']],
  ['names of tools', 'rules:\n  - allow: gi', ['github_*', 'own_*', ...tools]],
  ['names of tools in brackets', 'rules:\n  - deny: [own_shell, gi', ['github_*', 'own_*', ...tools]],
  ['names of tools in a list', 'rules:\n  - ask:\n      - own_shell\n      - gi', ['github_*', 'own_*', ...tools]],
])('offers %s', (_what, before, choices) => {
  expect(completePolicy(before, tools)?.choices.map(({ text }) => text)).toEqual(choices)
})

test.each(['rules:\n  - ', 'rules:\n  - allow: own_shell\n    re'])('offers the keys of a rule after %j', (before) => {
  expect(completePolicy(before, tools)?.choices.map(({ text }) => text)).toContain('reason: ')
})

test('offers nothing in a sentence', () => {
  expect(completePolicy('rules:\n  - deny: own_shell\n    reason: becau', tools)).toBeUndefined()
})
