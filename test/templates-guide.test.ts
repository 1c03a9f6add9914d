/** The page about templates does what it says, and leaves no field out. */
import { expect, test } from 'vitest'
import { templateSchema } from '../src/api/template.ts'
import { createNewcomer } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/templates.md')

test('whoever follows the guide has a template, and a session from it', { timeout: 120_000 }, async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(page), newcomer)
})

test('every field of a template is on the page, and no other', () => {
  const [, table = ''] = /## 3\. Every field([\s\S]*?)\n## 4/.exec(page) ?? []
  const fields = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field)
  expect(fields).toEqual(Object.keys(templateSchema.shape))
})
