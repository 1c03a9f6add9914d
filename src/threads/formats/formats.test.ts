import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FormatName, NewEntry, ThreadEntry } from '../../api/thread.ts'
import { formatNames } from '../../api/thread.ts'
import { readThread, writeThread } from './formats.ts'
import { resultText } from './results.ts'

const at = '2026-01-01T00:00:00.000Z'
const recordings = fileURLToPath(new URL('../../../test/recordings/threads/', import.meta.url))
const samples = readdirSync(recordings).map((file) => {
  const [name, format, ending] = file.split('.') as [string, FormatName, string]
  return { name, format, ending, text: readFileSync(`${recordings}${file}`, 'utf8') }
})

function stored(entries: readonly NewEntry[]): readonly ThreadEntry[] {
  return entries.map((entry, index) => ({ ...entry, seq: index + 1 }))
}

function listIn(text: string): readonly unknown[] {
  const value = JSON.parse(text) as unknown
  return Array.isArray(value) ? value : (Object.values(value as object)[0] as unknown[])
}

describe('samples of real agents and of the SDKs', () => {
  test('each format has samples', () => {
    expect(new Set(samples.map(({ format }) => format))).toEqual(new Set(formatNames))
  })

  for (const { name, format, ending, text } of samples) {
    test(`${name} of ${format} is the same after import and export`, () => {
      const entries = stored(readThread(format, text, at))
      const { messages, leftOut } = writeThread(format, entries)
      const again = writeThread(format, stored(readThread(format, JSON.stringify(messages), at)))
      expect(again.messages).toEqual(messages)
      if (ending === 'json') expect(messages).toEqual(listIn(text))
      expect(leftOut).toEqual([])
    })

    test(`${name} of ${format} keeps nothing beside its entries that the entries already say`, () => {
      for (const { extra, ...entry } of readThread(format, text, at)) {
        const said =
          'text' in entry ? entry.text : entry.type === 'tool-request' ? JSON.stringify(entry.parameters) : ''
        if (said.length > 12) expect(JSON.stringify(extra)).not.toContain(said)
      }
    })
  }

  test.each([
    ['claude-request', 'anthropic'],
    ['claude-transcript', 'anthropic'],
    ['codex-request', 'openai-responses'],
    ['codex-rollout', 'openai-responses'],
    ['gemini-request', 'gemini'],
    ['gemini-chat', 'gemini'],
    ['opencode-request', 'openai-chat'],
  ] as const)('%s says what the agent did', (name, format) => {
    const { text } = samples.find((sample) => sample.name === name)!
    const entries = readThread(format, text, at).filter((entry) => !('text' in entry && /^\s*[<#]/.test(entry.text)))
    const asked = ['prompt', 'text', 'tool-request', 'tool-request', 'tool-result', 'tool-result']
    const types = entries.map(({ type }) => type).filter((type) => type !== 'thinking')
    expect(types).toEqual(/transcript|rollout|chat/.test(name) ? [...asked, 'text'] : asked)
    const [first, second] = entries.filter((entry) => entry.type === 'tool-result')
    expect(resultText(first?.result)).toContain('the ninth number is 17')
    expect(JSON.stringify(first?.parameters)).toContain('notes.txt')
    expect(`${resultText(second?.result)}${second?.error}`).toMatch(/No such file|not found/i)
  })
})

/** The content that every format must keep: who said what, which tool was called how, and what it answered. */
function essence(entries: readonly NewEntry[]): unknown[] {
  const calls = new Map<string, number>()
  return entries.flatMap((entry): unknown[] => {
    switch (entry.type) {
      case 'prompt':
      case 'text':
        return entry.text === '' ? [] : [[entry.type, entry.text]]
      case 'tool-request':
        calls.set(entry.callId, calls.size)
        return [['call', calls.get(entry.callId), entry.name, entry.parameters]]
      case 'tool-result':
        return [['result', calls.get(entry.callId), entry.name, entry.error ?? resultText(entry.result)]]
      default:
        return []
    }
  })
}

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const parameters = fc.dictionary(fc.string({ minLength: 1 }), json, { maxKeys: 3, noNullPrototype: true })
const outcome = fc.oneof(
  fc.record({ result: fc.string() }),
  fc.record({ result: json }),
  fc.record({ result: fc.constant(null), error: fc.string({ minLength: 1 }) }),
)
const callsArbitrary = fc.array(
  fc.record({ id: fc.uuid(), name: fc.stringMatching(/^[a-z_]{1,20}$/), parameters, outcome }),
  { minLength: 1, maxLength: 3 },
)
const saidArbitrary = fc.record({
  type: fc.constantFrom('prompt' as const, 'text' as const, 'thinking' as const),
  text: fc.string(),
})
const threadArbitrary = fc.array(fc.oneof(saidArbitrary, callsArbitrary), { minLength: 1, maxLength: 8 }).map((steps) =>
  stored(
    steps.flatMap((step, index): NewEntry[] => {
      const place = (name: string) => ({ key: `${index}.${name}`, at })
      if (!Array.isArray(step)) return [{ ...place('said'), ...step }]
      return [
        ...step.map(({ id, name, parameters: given }): NewEntry => {
          return { ...place(`call:${id}`), type: 'tool-request', callId: id, name, parameters: given }
        }),
        ...step.map(({ id, name, outcome: ended }): NewEntry => {
          return { ...place(`result:${id}`), type: 'tool-result', callId: id, name, ...ended }
        }),
      ]
    }),
  ),
)

describe.each(formatNames)('%s', (format) => {
  test('keeps every message, call and result of a thread', () => {
    fc.assert(
      fc.property(threadArbitrary, (entries) => {
        const said = essence(entries)
        fc.pre(said.length > 0)
        const { messages } = writeThread(format, entries)
        expect(essence(readThread(format, JSON.stringify(messages), at))).toEqual(said)
      }),
    )
  })

  test('names the content that it cannot hold, and its place', () => {
    const entries = stored([
      { type: 'prompt', key: 'p', at, text: 'hi' },
      { type: 'thinking', key: 't', at, text: 'hm' },
      { type: 'tool-request', key: 'c', at, callId: '1', name: 'ls', parameters: {} },
      { type: 'tool-result', key: 'r', at, callId: '1', name: 'ls', result: 'some of it', error: 'broken' },
      { type: 'tool-result', key: 'lost', at, callId: '2', name: 'ls', result: 'whose?' },
      { type: 'error', key: 'e', at, message: 'away' },
      { type: 'complete', key: 'end', at, status: 'completed' },
    ])
    const { messages, leftOut } = writeThread(format, entries)
    expect(JSON.stringify(messages)).toMatch(/broken\\nsome of it/)
    const lost = Object.fromEntries(leftOut.map(({ what, where }) => [what, where]))
    expect(lost).toMatchObject({
      'the end of a turn': ['end'],
      'a failure': ['e'],
      'the result of a call that is not in the thread': ['lost'],
    })
    const isTold = (part: string) => JSON.stringify(messages).includes(part)
    expect(Object.keys(lost).some((what) => what.startsWith('a thought'))).toBe(!isTold('hm'))
    const canFail = format === 'anthropic' || format === 'gemini'
    expect('that the tool failed' in lost).toBe(!canFail)
  })

  test.each([
    ['half an object', '{', /"text" is not JSON\. Give the messages of /],
    ['no list', '{}', /"text" has no list "(messages|input|contents)"/],
    ['nothing', '[]', /has no message of a person or an agent/],
    [
      'lists in lists',
      `[${'['.repeat(200_000)}${']'.repeat(200_000)}]`,
      /is not JSON|is not what the format has there/,
    ],
    ['a number', '[7]', /(messages|input|contents)\[0\] is not what the format has there \(/],
  ])('refuses %s in a sentence', (_, text, problem) => {
    expect(() => readThread(format, text, at)).toThrow(problem)
  })
})

test.each([
  ['anthropic', [{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
  ['anthropic', [{ role: 'robot', content: 'x' }], 'messages[0].role'],
  [
    'openai-chat',
    [
      { role: 'user', content: 'x' },
      { role: 'tool', content: 'x' },
    ],
    'messages[1].tool_call_id',
  ],
  ['openai-chat', [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }], 'messages[0].tool_calls[0]'],
  ['openai-responses', [{ type: 'function_call', call_id: 'a', name: 'b', arguments: {} }], 'input[0].arguments'],
  ['gemini', [{ role: 'model', parts: [{ functionCall: {} }] }], 'contents[0].parts[0].functionCall.name'],
] as const)('a wrong message of %s is named by its place', (format, messages, where) => {
  expect(() => readThread(format, JSON.stringify(messages), at)).toThrow(where)
})

test('content that only one format can hold is named in another, and comes back in the first', () => {
  const { text } = samples.find(({ name, format }) => name === 'sdk' && format === 'anthropic')!
  const entries = stored(readThread('anthropic', text, at))
  for (const format of formatNames.filter((name) => name !== 'anthropic')) {
    const { messages, leftOut } = writeThread(format, entries)
    expect(JSON.stringify(messages)).not.toContain('EqQBCgIYAhIM')
    expect(leftOut.map(({ what }) => what).join('\n')).toMatch(/signature[\s\S]*a part of anthropic: \[document\]/)
    expect(JSON.stringify(messages)).toContain('It is empty.')
  }
  expect(writeThread('anthropic', entries).messages).toEqual(listIn(text))
})

test('a call that was cut, a remark between call and result, and odd ids are changed into a form that a provider accepts', () => {
  const entries = stored([
    { type: 'tool-request', key: 'c1', at, callId: 'a.b:1', name: 'mcp.hub/add', parameters: {} },
    { type: 'prompt', key: 'p', at, text: 'hurry' },
    { type: 'tool-result', key: 'r1', at, callId: 'a.b:1', name: 'mcp.hub/add', result: '2' },
    { type: 'tool-request', key: 'c2', at, callId: 'a.b:1', name: 'cut', parameters: {} },
  ])
  expect(writeThread('anthropic', entries).messages).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a_b_1', name: 'mcp_hub_add' }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a_b_1', content: '2' },
        { type: 'text', text: 'hurry' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a_b_1_2', name: 'cut' }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a_b_1_2', is_error: true }] },
  ])
})
