import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { asksAboutTool, showsDialog } from './dialog.ts'

async function terminalWith(recording: string) {
  const text = await readFile(
    new URL(`../../../test/recordings/agents/dialogs/${recording}.txt`, import.meta.url),
    'utf8',
  )
  return { screen: { text: () => text } } as unknown as Parameters<typeof showsDialog>[0]
}

test.each([
  ['echo it > made.txt', true],
  ['echo it', false],
  ['made.txt', false],
  ['', false],
])('the dialog about "echo it > made.txt" is about %j: %s', async (command, isAbout) => {
  expect(showsDialog(await terminalWith('claude-bash'), { command })).toBe(isAbout)
})

test('a dialog that does not show all that was judged is left to the person', async () => {
  expect(showsDialog(await terminalWith('claude-write'), { path: '/tmp/signalbox-recording/agent/work/a.txt' })).toBe(
    false,
  )
})

test.each([
  ['claude-bash', true],
  ['claude-write', true],
  ['claude-mcp', true],
  ['claude-trust', false],
  ['claude-theme', false],
  ['claude-typed-list', false],
])('%s asks about a tool: %s', async (recording, asks) => {
  expect(asksAboutTool(await terminalWith(recording))).toBe(asks)
})
