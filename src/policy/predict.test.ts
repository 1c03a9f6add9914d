import { expect, test } from 'vitest'
import { compileGrant, compilePolicy, predict, poolPolicies } from './policy.ts'

async function effectOf(source: string, grants: Parameters<typeof predict>[1] = []) {
  const pool = poolPolicies([await compilePolicy(source, { scope: 'hub', version: 1 })])
  return predict(pool, grants, { tool: 'git_push' })
}

const forced = 'when: { properties: { force: { const: true } }, required: [force] }'

test.each([
  ['default: ask', 'ask'],
  ['rules: [{ allow: git_* }]', 'allow'],
  ['rules: [{ allow: git_* }, { deny: git_push }]', 'deny'],
  [`rules: [{ deny: git_*, ${forced} }]`, undefined],
  [`rules: [{ allow: git_* }, { deny: git_push, ${forced} }]`, undefined],
  [`rules: [{ deny: git_* }, { allow: git_push, ${forced} }]`, 'deny'],
  [`rules: [{ deny: git_* }, { deny: git_push, ${forced} }]`, 'deny'],
  [`default: deny\nrules: [{ deny: git_push, ${forced} }]`, 'deny'],
  [`default: allow\nrules: [{ allow: git_push, ${forced} }]`, 'allow'],
  [`default: ask\nrules: [{ allow: git_push, ${forced} }]`, undefined],
])('predicts for the policy %s the effect %s', async (source, effect) => {
  expect(await effectOf(source)).toBe(effect)
})

test('a grant makes ask uncertain and changes no other effect', async () => {
  const grants = [await compileGrant({ id: 'g1', tool: 'git_*' })]
  expect(await effectOf('default: ask', grants)).toBeUndefined()
  expect(await effectOf('default: deny', grants)).toBe('deny')
  expect(await effectOf('default: ask', [await compileGrant({ id: 'g2', tool: 'other' })])).toBe('ask')
})
