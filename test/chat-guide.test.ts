/** The commands on the page about the chat work as it says. */
import { expect, test } from 'vitest'
import { maxMessageBytes } from '../src/api/chat.ts'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

const page = readPage('docs/guides/chat.md')

test('a reader who follows the guide writes to an agent, reads its answers, and prepares a room', async () => {
  await using reader = await createReader()
  await runSteps(readSteps(page), reader)
}, 240_000)

test('the page names the limits that are in the code', () => {
  expect(page).toContain(`at most ${maxMessageBytes / 1024} KiB`)
})
