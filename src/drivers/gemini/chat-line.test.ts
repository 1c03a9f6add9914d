import { expect, test } from 'vitest'
import type { NewEntry } from '../../api/thread.ts'
import { endTurn, noTurn, readChatLine } from './chat-line.ts'

const at = '2026-11-17T14:00:00.000Z'
const later = '2026-11-17T14:00:05.000Z'
const tokens = { input: 10, output: 4, thoughts: 1 }
const call = {
  id: 'run_shell_command__1',
  name: 'run_shell_command',
  args: { command: 'echo hi' },
  status: 'success',
  result: [{ functionResponse: { response: { output: '<untrusted_context>\nhi\n</untrusted_context>' } } }],
}
const prompt = { id: 'u1', timestamp: at, type: 'user', content: [{ text: 'say hi' }] }
const thought = {
  id: 'g1',
  timestamp: at,
  type: 'gemini',
  content: 'let me',
  thoughts: [{ subject: 'Hm', description: 'a greeting' }],
  tokens,
  model: 'gemini-2.5-pro',
}

function readAll(lines: readonly object[]): {
  readonly entries: readonly NewEntry[]
  readonly end: readonly NewEntry[]
} {
  let state = noTurn
  const entries: NewEntry[] = []
  for (const line of lines) {
    const read = readChatLine(JSON.stringify(line), state)
    state = read.state
    for (const entry of read.entries) if (!entries.some(({ key }) => key === entry.key)) entries.push(entry)
  }
  return { entries, end: endTurn(state, 'completed', later).entries }
}

test('a turn has its prompt, thoughts, text, tool calls and tokens', () => {
  const { entries, end } = readAll([prompt, thought, { ...thought, toolCalls: [call] }])
  expect(entries).toMatchObject([
    { key: 'u1.prompt', type: 'prompt', text: 'say hi' },
    { key: 'g1.thinking', type: 'thinking', text: 'Hm\na greeting', model: 'gemini-2.5-pro' },
    { key: 'g1.text', type: 'text', text: 'let me' },
    { key: 'call:run_shell_command__1', parameters: { command: 'echo hi' } },
    { key: 'result:run_shell_command__1', result: 'hi' },
  ])
  expect(end).toMatchObject([
    { key: 'u1.complete', status: 'completed', usage: { input_tokens: 10, output_tokens: 5 } },
  ])
})

test('a tool that failed has its error', () => {
  const failed = { ...call, status: 'error', result: [{ functionResponse: { response: { error: 'no such file' } } }] }
  expect(readAll([prompt, { ...thought, toolCalls: [failed] }]).entries.at(-1)).toMatchObject({ error: 'no such file' })
})

test('results for the model and settings of the file are not prompts', () => {
  const result = { ...prompt, id: 'u2', content: [{ functionResponse: { id: 'x' } }] }
  expect(readAll([{ sessionId: 's', kind: 'main' }, { $set: { lastUpdated: at } }, result]).entries).toEqual([])
})

test('a prompt ends a turn of which no hook reported the end', () => {
  const { entries } = readAll([prompt, thought, { ...prompt, id: 'u2', timestamp: later }])
  expect(entries.slice(-2)).toMatchObject([
    { key: 'u1.complete', status: 'interrupted' },
    { key: 'u2.prompt', type: 'prompt' },
  ])
})

test.each([
  ['that is complete', [{ $set: { messages: [{}] } }]],
  ['that was cut off', []],
])('a copy of the chat %s is not read again', (_, end) => {
  const context = {
    ...prompt,
    id: 'c0',
    timestamp: at,
    content: [{ text: '<session_context>\nThis is the Gemini CLI.' }],
  }
  const copy = [context, { ...prompt, id: 'c1' }, { ...thought, id: 'c2', content: [{ text: 'let me' }], tokens: null }]
  const next = { ...prompt, id: 'u2', timestamp: later }
  const { entries } = readAll([prompt, thought, ...copy, ...end, next])
  expect(entries.map(({ key }) => key)).toEqual(['u1.prompt', 'g1.thinking', 'g1.text', 'u1.complete', 'u2.prompt'])
})
