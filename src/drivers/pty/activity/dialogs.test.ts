/**
 * Recorded dialogs of the real agents: each is classified as waiting for a person, with a reason that says for what.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findMenu } from '../../../terminal/terminal.ts'
import { loadActivityRules } from './activity-rules.ts'
import { classifyScreen } from './classify-screen.ts'

const shipped = fileURLToPath(new URL('../../../../activity/', import.meta.url))
const recordings = new URL('../../../../test/recordings/agents/dialogs/', import.meta.url)

const reasons: Readonly<Record<string, string>> = {
  'claude-api-key': 'Claude Code asks whether to use the key in ANTHROPIC_API_KEY: answer "Yes" or "No"',
  'claude-bash': 'It wants to run: echo it > made.txt',
  'claude-fullscreen': 'Try the new fullscreen renderer?',
  'claude-login': 'Claude Code wants you to log in: attach and choose how',
  'claude-login-code': 'Claude Code wants you to log in: attach, open the link and paste the code',
  'claude-mcp': 'Do you want to proceed?',
  'claude-model': 'Select model',
  'claude-question': 'Which colour?',
  'claude-theme': 'Claude Code wants to be set up: attach and go through its first steps',
  'claude-trust': 'Claude Code asks whether you trust this folder',
  'claude-write': 'Do you want to create a.txt?',
  'codex-api-key': 'Codex wants you to sign in: attach and enter an API key, or run "codex login"',
  'codex-exec': 'It wants to run: echo it > made.txt',
  'codex-model': 'Select Model and Effort',
  'codex-sign-in': 'Codex wants you to sign in: attach and log in, or run "codex login"',
  'codex-update': 'Codex offers an update (Update available · 0.166.0 → 9.9.9): answer "Skip", or attach and choose',
  'gemini-api-key': 'Gemini CLI wants you to log in: attach and enter an API key',
  'gemini-auth': 'Gemini CLI wants you to log in: attach and choose how',
  'gemini-exec': 'It wants to run: echo it > made.txt',
  'gemini-oauth': 'Gemini CLI wants you to log in: attach, open the link and paste the code',
  'gemini-trust': 'Do you trust the files in this folder?',
  'gemini-write': 'Apply this change?',
  'opencode-bash': 'It wants to run: echo it > made.txt',
}

/** Looks like a menu, but is a list in text that a person types. */
const typed = ['claude-typed-list', 'codex-typed-list', 'gemini-typed-list']

function read(name: string) {
  const [first = '', ...lines] = readFileSync(new URL(`${name}.txt`, recordings), 'utf8')
    .trimEnd()
    .split('\n')
  const line = (index: number) => lines[index]!
  const view = { title: first.replace('title: ', ''), shell: undefined, lineCount: lines.length, line }
  return { lines, view }
}

async function classifyRecorded(name: string, withTitle = true) {
  const rules = await loadActivityRules([shipped], name.replace(/-.*/, ''))
  const { view } = read(name)
  return classifyScreen(rules, { ...view, ...(withTitle ? {} : { title: '' }), isSettled: true })
}

test('every recorded dialog has an expected result', () => {
  const recorded = readdirSync(recordings).map((file) => file.replace('.txt', ''))
  expect(recorded.toSorted()).toEqual([...Object.keys(reasons), ...typed].toSorted())
})

test.each(Object.entries(reasons))('the dialog %s waits with the reason: %s', async (name, reason) => {
  expect(await classifyRecorded(name)).toMatchObject({ is: 'waiting', reason })
  // Some people switch off titles.
  expect(await classifyRecorded(name, false)).toMatchObject({ is: 'waiting', reason })
})

test('a permission dialog that does not show a command leaves the reason to the agent’s own report', async () => {
  expect(await classifyRecorded('claude-mcp')).toMatchObject({ isReasonSpecific: false })
  expect(await classifyRecorded('claude-bash')).toMatchObject({ isReasonSpecific: true })
})

test.each(typed)('%s is idle, although it looks like a menu', async (name) => {
  expect(await classifyRecorded(name)).toMatchObject({ is: 'idle' })
  expect(findMenu(read(name).lines)).toBeUndefined()
})

test.each([
  [
    'claude-bash',
    ['Yes', 'Yes, and always allow access to /tmp/signalbox-recording/agent/work from this project', 'No'],
  ],
  ['claude-api-key', ['Yes', 'No (recommended)']],
  ['claude-question', ['Red', 'Blue', 'Type something.', 'Chat about this']],
  ['codex-update', ['Update now (runs `npm install -g @openai/codex`)', 'Skip', 'Skip until next version']],
  ['gemini-exec', ['Allow once', 'Allow for this session', 'No, suggest changes (esc)']],
])('finds the choices of the dialog %s', (name, labels) => {
  expect(findMenu(read(name).lines)?.choices.map(({ label }) => label)).toEqual(labels)
})
