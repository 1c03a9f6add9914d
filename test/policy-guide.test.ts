/** The page about policies does what it says. */
import { expect, test } from 'vitest'
import { compilePolicy } from '../src/policy/policy.ts'
import { createNewcomer } from './documents/newcomer.ts'
import { readBlocks, readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/policy.md')

test('whoever follows the guide has a policy that was tried, saved and explained', { timeout: 240_000 }, async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(page), newcomer)
})

test('every policy on the page can be saved', async () => {
  const policies = readBlocks(page, 'yaml')
  expect(policies.length).toBeGreaterThan(0)
  for (const source of policies) await compilePolicy(source, { scope: 'hub', version: 0 })
})
