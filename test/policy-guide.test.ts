/** The commands on the page about policies work as it says. */
import { expect, test } from 'vitest'
import { compilePolicy } from '../src/policy/policy.ts'
import { createReader } from './documents/newcomer.ts'
import { readBlocks, readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/policy.md')

test('a reader who follows the guide tests, saves and explains a policy', { timeout: 240_000 }, async () => {
  await using reader = await createReader()
  await runSteps(readSteps(page), reader)
})

test('every policy on the page is valid', async () => {
  const policies = readBlocks(page, 'yaml')
  expect(policies.length).toBeGreaterThan(0)
  for (const source of policies) await compilePolicy(source, { scope: 'hub', version: 0 })
})
