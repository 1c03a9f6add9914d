/** The commands on the page about actions work as it says, and it lists every action and field. */
import { expect, test } from 'vitest'
import { actionFields } from '../src/api/action.ts'
import { startScriptedModel } from './agents/model/model.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/route-an-action.md')

test('a reader who follows the guide gets an action answered by a model and by a connector', async () => {
  await using model = await startScriptedModel()
  await using reader = await createReader()
  const env = { ...reader.env, OPENAI_API_KEY: 'key-of-the-reader', OPENAI_BASE_URL: `${model.origin}/v1` }
  await runSteps(readSteps(page), { ...reader, env })
}, 240_000)

test('the page lists exactly the actions and their fields', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (.+?) +\| (?:yes|no) +\|$/gm)]
  const listed = rows.map(([, action, fields = '']) => [
    action,
    [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  ])
  const actual = Object.entries(actionFields).map(([action, fields]) => [
    action,
    Object.keys(fields).filter((field) => field !== 'text'),
  ])
  expect(listed).toEqual(actual)
})
