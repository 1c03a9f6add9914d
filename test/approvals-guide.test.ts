/** The commands on the page about approvals work as it says. */
import { expect, test } from 'vitest'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/approvals.md')

test('a reader who follows the guide is asked, answers, and revokes a grant', { timeout: 240_000 }, async () => {
  await using reader = await createReader()
  await runSteps(readSteps(page), reader)
})

test('the page lists every key of the approvals keyboard', () => {
  const keys = [...page.matchAll(/^\| `(\w)` /gm)].map(([, key]) => key)
  expect(keys).toEqual(['a', 'd', 'x', 's', 'r', 'n', 'q'])
})
