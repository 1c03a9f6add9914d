/** The page about connectors does what it says, and leaves no field out. */
import { expect, test } from 'vitest'
import { connectorOptions, connectorSchema } from '../src/api/connector.ts'
import { createNewcomer } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/connectors.md')

test('whoever follows the guide has connectors of every transport, and a session that uses them', async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(page), newcomer)
}, 240_000)

test('every field of a connector is on the page, and no other', () => {
  const [, ofConnector = '', ofOptions = ''] = /## 7\. Every field([\s\S]*?)\n\| option([\s\S]*)/.exec(page) ?? []
  const fields = (table: string) => [...table.matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field)
  expect(fields(ofConnector)).toEqual(Object.keys(connectorSchema.shape))
  expect(fields(ofOptions)).toEqual(Object.keys(connectorOptions.shape))
})
