/** The commands on the page about connectors work as it says, and it lists every field. */
import { expect, test } from 'vitest'
import { connectorOptions, connectorSchema } from '../src/api/connector.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/connectors.md')

test('a reader who follows the guide has connectors of every transport and a session that uses them', async () => {
  await using reader = await createReader()
  await runSteps(readSteps(page), reader)
}, 240_000)

test('the page lists exactly the fields of a connector', () => {
  const [, ofConnector = '', ofOptions = ''] = /## 7\. Every field([\s\S]*?)\n\| option([\s\S]*)/.exec(page) ?? []
  const fields = (table: string) => [...table.matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field)
  expect(fields(ofConnector)).toEqual(Object.keys(connectorSchema.shape))
  expect(fields(ofOptions)).toEqual(Object.keys(connectorOptions.shape))
})
