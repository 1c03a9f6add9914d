/** The commands on the page about templates work as it says, and it lists every field. */
import { expect, test } from 'vitest'
import { templateSchema } from '../src/api/template.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/templates.md')

test('a reader who follows the guide has a template and a session from it', async () => {
  await using reader = await createReader()
  await runSteps(readSteps(page), reader)
})

test('the page lists exactly the fields of a template', () => {
  const [, table = ''] = /## 3\. Every field([\s\S]*?)\n## 4/.exec(page) ?? []
  const fields = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field)
  expect(fields).toEqual(Object.keys(templateSchema.shape))
})
