/** The commands on the page about repositories work as it says. A scripted model answers. */
import { test } from 'vitest'
import { startScriptedModel } from './agents/model/model.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const scripts = {
  'Does the order of rules matter?': [
    'CALL read {"path":"gate.js"}',
    'FINAL No: every rule must allow the call (gate.js:4-6), and the comment says why (gate.js:3).',
  ].join('\n'),
}

test('a reader who follows the guide searches a repository, asks about it, and gives it to an agent', async () => {
  await using model = await startScriptedModel({ scripts })
  await using reader = await createReader()
  const env = { ...reader.env, OPENAI_API_KEY: 'key-of-the-reader', OPENAI_BASE_URL: `${model.origin}/v1` }
  await runSteps(readSteps(readPage('docs/guides/repositories.md')), { ...reader, env })
}, 240_000)
