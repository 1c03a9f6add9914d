/** The commands on the page about the built-in agent work as it says. A scripted model stands for the local one. */
import { test } from 'vitest'
import { startScriptedModel } from './agents/model/model.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const scripts = {
  'Is your shell idle?': 'CALL terminal_is_shell_idle {}\nFINAL Yes, nothing runs in it.',
  'Which day is it?': 'CALL terminal_send_text {"text":"date\\r"}\nFINAL I typed it.',
}

test('a reader who follows the guide has an agent with a local model', async () => {
  await using model = await startScriptedModel({ scripts })
  await using reader = await createReader()
  const page = readPage('docs/guides/local-model.md').replaceAll('http://127.0.0.1:11434', model.origin)
  await runSteps(readSteps(page), reader)
})
