/** The commands of the page about sandboxes work as it says. */
import { test } from 'vitest'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'
import { requiresAll } from './harness/requires.ts'

requiresAll('bwrap', 'socat').describe('the guide', () => {
  test('a reader who follows it sees that a confined session finds no token', async () => {
    await using reader = await createReader()
    await runSteps(readSteps(readPage('docs/guides/sandbox.md')), reader)
  })
})
