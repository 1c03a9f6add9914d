/** The transcript of Claude Code 2.1.325, line by line. */
import { expect, test } from 'vitest'
import type { NewEntry } from '../../api/thread.ts'
import { newReading } from './read-message.ts'
import type { TranscriptState } from './transcript-line.ts'
import { readTranscriptLine } from './transcript-line.ts'

const timestamp = '2026-01-01T00:00:00.000Z'
const begin: TranscriptState = { reading: newReading, turn: 'none' }

function readAll(lines: readonly object[], state = begin) {
  const entries: NewEntry[] = []
  const ran: string[] = []
  for (const line of lines) {
    const read = readTranscriptLine(JSON.stringify({ timestamp, isSidechain: false, ...line }), state)
    state = read.state
    entries.push(...read.entries)
    ran.push(...read.ran)
  }
  return { entries, ran, state }
}

const person = (uuid: string, content: unknown) => ({ type: 'user', uuid, message: { role: 'user', content } })
const assistant = (id: string, uuid: string, block: object, output = 5) => ({
  type: 'assistant',
  uuid,
  message: {
    id,
    model: 'm',
    content: [block],
    usage: { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: output },
  },
})
const text = (said: string) => ({ type: 'text', text: said })
const turnEnd = { type: 'system', subtype: 'turn_duration', uuid: 'end', durationMs: 1 }

test('a turn has a prompt, thoughts, calls, results and an end, with the tokens of each message once', () => {
  const { entries, ran } = readAll([
    { type: 'mode', mode: 'normal' },
    person('p1', 'do it'),
    assistant('m1', 'a1', { type: 'thinking', thinking: 'hm', signature: 's' }),
    assistant('m1', 'a2', text('I begin')),
    assistant('m1', 'a3', { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } }),
    {
      ...person('r1', [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt', is_error: false }]),
      permissionDecision: { decision: 'accept', source: 'user_temporary' },
    },
    assistant('m2', 'a4', text('done'), 6),
    { type: 'system', subtype: 'stop_hook_summary', uuid: 's1' },
    turnEnd,
  ])
  expect(entries).toMatchObject([
    { type: 'prompt', key: 'p1', text: 'do it' },
    { type: 'thinking', key: 'm1:0', text: 'hm' },
    { type: 'text', key: 'm1:1', text: 'I begin', model: 'm' },
    { type: 'tool-request', key: 'call:c1', callId: 'c1', name: 'Bash', parameters: { command: 'ls' } },
    { type: 'tool-result', key: 'result:c1', callId: 'c1', name: 'Bash', result: 'a.txt' },
    { type: 'text', key: 'm2:0', text: 'done' },
    { type: 'complete', key: 'end', status: 'completed', usage: { input_tokens: 34, output_tokens: 11 } },
  ])
  expect(ran).toEqual(['c1'])
})

test('a hub that continues in the middle of a message writes the same keys', () => {
  const lines = [person('p1', 'x'), assistant('m1', 'a1', text('one')), assistant('m1', 'a2', text('two')), turnEnd]
  const whole = readAll(lines)
  const first = readAll(lines.slice(0, 2))
  const stored = JSON.parse(JSON.stringify(first.state)) as TranscriptState
  const rest = readAll(lines.slice(2), stored)
  expect([...first.entries, ...rest.entries]).toEqual(whole.entries)
})

test('an interruption ends the turn once, with or without a line for its duration', () => {
  const interruption = person('i1', [text('[Request interrupted by user for tool use]')])
  const { entries } = readAll([person('p1', 'x'), interruption, turnEnd, person('p2', 'y')])
  expect(entries.map(({ type, key }) => [type, key])).toEqual([
    ['prompt', 'p1'],
    ['complete', 'i1'],
    ['prompt', 'p2'],
  ])
  expect(entries[1]).toMatchObject({ status: 'interrupted' })
})

test('a failure of the model fails the turn', () => {
  const failure = assistant('x', 'a1', text('API Error: 400'))
  const { entries } = readAll([person('p1', 'x'), { ...failure, isApiErrorMessage: true }, turnEnd])
  expect(entries.slice(1)).toMatchObject([
    { type: 'error', message: 'API Error: 400' },
    { type: 'complete', status: 'failed', reason: 'API Error: 400' },
  ])
})

test('a text that was typed while it worked is a prompt', () => {
  const attachment = { type: 'queued_command', prompt: 'be quick', source_uuid: 'q1', humanTurn: true }
  const { entries } = readAll([person('p1', 'x'), { type: 'attachment', uuid: 'u', attachment }])
  expect(entries[1]).toMatchObject({ type: 'prompt', key: 'q1', text: 'be quick' })
})

test('subagents, summaries and lines that the program itself adds are left out', () => {
  const { entries } = readAll([
    { ...person('s1', 'for a subagent'), isSidechain: true },
    { ...assistant('m9', 's2', text('by a subagent')), isSidechain: true },
    { ...person('u1', 'The conversation so far …'), isCompactSummary: true },
    { ...person('u2', 'a note'), isMeta: true },
    person('u3', '<command-name>/clear</command-name>'),
    person('u4', '<local-command-stdout></local-command-stdout>'),
    { type: 'system', subtype: 'compact_boundary', uuid: 'b' },
    turnEnd,
  ])
  expect(entries).toEqual([])
})

test('a line of another version, or half a line, changes nothing', () => {
  for (const line of ['', '{"type":"user"', '{"type":"new-thing"}', '[]', 'null']) {
    expect(readTranscriptLine(line, begin)).toEqual({ state: begin, entries: [], ran: [] })
  }
})

test('the permission mode of the person is known', () => {
  expect(readAll([{ type: 'permission-mode', permissionMode: 'acceptEdits' }]).state.permissionMode).toBe('acceptEdits')
})
