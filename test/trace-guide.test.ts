/** The commands on the page about events and traces work as it says. */
import { test } from 'vitest'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

test(
  'a reader who follows the guide finds events, shows a call and sends its spans',
  { timeout: 240_000 },
  async () => {
    await using reader = await createReader()
    await runSteps(readSteps(readPage('docs/guides/trace.md')), reader)
  },
)
