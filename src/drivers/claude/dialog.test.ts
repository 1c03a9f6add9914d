import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { asksAboutTool, showsDialog } from './dialog.ts'

/** `below`: lines between the frame of the command and the question. */
async function terminalWith(recording: string, below = '') {
  const recorded = await readFile(
    new URL(`../../../test/recordings/agents/dialogs/${recording}.txt`, import.meta.url),
    'utf8',
  )
  const text = recorded.replace(/(?= Do you want to proceed)/, () => below)
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

test('a note of the hook that asked may stand below the command', async () => {
  const note = ' │ Hook PreToolUse:Bash requires confirmation for this command:\n │ a person looks first\n\n'
  expect(showsDialog(await terminalWith('claude-bash', note), { command: 'echo it > made.txt' })).toBe(true)
})

test('a command that draws a frame is not taken for the part before it', async () => {
  const rest = ` rm -rf made.txt\n${'╌'.repeat(40)}\n`
  expect(showsDialog(await terminalWith('claude-bash', rest), { command: 'echo it > made.txt' })).toBe(false)
})

test('a dialog that does not show the whole judged call is left to the person', async () => {
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
