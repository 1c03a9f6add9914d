/** The page about approvals does what it says. */
import { expect, test } from 'vitest'
import { createNewcomer } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/approvals.md')

test('whoever follows the guide is asked, answers, and takes a grant back', { timeout: 240_000 }, async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(page), newcomer)
})

test('every key of the keyboard is on the page', () => {
  const keys = [...page.matchAll(/^\| `(\w)` /gm)].map(([, key]) => key)
  expect(keys).toEqual(['a', 'd', 'x', 's', 'r', 'n', 'q'])
})
