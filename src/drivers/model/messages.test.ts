import { expect, test } from 'vitest'
import type { NewEntry } from '../../api/thread.ts'
import { toModelMessages } from './messages.ts'

const at = '2026-01-01T00:00:00.000Z'
const prompt = (text: string): NewEntry => ({ type: 'prompt', key: text, at, text })
const said = (text: string): NewEntry => ({ type: 'text', key: text, at, text })
const call = (callId: string, name = 'tool'): NewEntry => {
  return { type: 'tool-request', key: `call:${callId}`, at, callId, name, parameters: { id: callId } }
}
const result = (callId: string, text: string): NewEntry => {
  return { type: 'tool-result', key: `result:${callId}`, at, callId, name: 'tool', result: text }
}
const shape = (entries: readonly NewEntry[]) =>
  toModelMessages(entries).map((message) => {
    if (message.role === 'user') return `user ${message.text}`
    if (message.role === 'tool') return `result ${message.callId} ${message.text.slice(0, 18)}`
    return `agent ${message.parts.map((part) => (part.type === 'call' ? `call ${part.id}` : part.text)).join(', ')}`
  })

test('results follow their calls, even if they arrived in another order', () => {
  const entries = [prompt('go'), said('two'), call('a'), call('b'), result('b', 'B'), said('then'), result('a', 'A')]
  expect(shape(entries)).toEqual(['user go', 'agent two, call a, call b', 'result a A', 'result b B', 'agent then'])
})

test('a call without a result gets one that says so', () => {
  expect(shape([prompt('go'), call('a'), prompt('again')])).toEqual([
    'user go',
    'agent call a',
    'result a There is no result',
    'user again',
  ])
})

test('calls of other agents have names that every provider accepts', () => {
  const [message] = toModelMessages([call('a', 'mcp__signalbox__hub_status'), call('b', 'Web Fetch!')])
  expect(message).toMatchObject({ parts: [{ name: 'hub_status' }, { name: 'Web_Fetch_' }] })
})

test('thoughts go back to the provider that sealed them, and to no other', () => {
  const thought: NewEntry = { type: 'thinking', key: 'k', at, text: 'hm' }
  expect(toModelMessages([thought, said('x')])).toEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }])
  const seal = { anthropic: { signature: 's' } }
  expect(toModelMessages([thought], new Map([['k', seal]]))).toEqual([
    { role: 'assistant', parts: [{ type: 'thinking', text: 'hm', seal }] },
  ])
})
