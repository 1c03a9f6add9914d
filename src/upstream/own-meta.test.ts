import { expect, test } from 'vitest'
import { cpuMs } from '../base/cpu-ms.ts'
import { removeOwnMeta } from './own-meta.ts'

const forged = { 'io.signalbox/correlation': 'forged', 'a.b/c': 'kept' }
const kept = { 'a.b/c': 'kept' }

const content = (_meta: object) => [{ type: 'resource', resource: { uri: 'a:b', _meta }, _meta }]
const messages: readonly (readonly [string, (meta: object) => object])[] = [
  ['a result', (_meta) => ({ result: { content: content(_meta), _meta } })],
  ['a read resource', (_meta) => ({ result: { contents: [{ uri: 'a:b', text: 'x', _meta }] } })],
  ['a prompt', (_meta) => ({ result: { messages: [{ role: 'user', content: content(_meta) }] } })],
  ['a list of tools', (_meta) => ({ result: { tools: [{ name: 'x', _meta }] } })],
  ['a list of resources', (_meta) => ({ result: { resources: [{ _meta }], resourceTemplates: [{ _meta }] } })],
  ['a list of prompts', (_meta) => ({ result: { prompts: [{ name: 'x', _meta }] } })],
  ['a task', (_meta) => ({ result: { task: { taskId: '1', _meta }, tasks: [{ _meta }] } })],
  ['a question', (_meta) => ({ params: { messages: [{ content: content(_meta)[0] }], _meta } })],
  ['a question in a result', (_meta) => ({ result: { inputRequests: { a: { params: { _meta } } } } })],
  ['an error that asks', (_meta) => ({ error: { data: { elicitations: [{ _meta }] } } })],
  ['a notice', (_meta) => ({ method: 'notifications/x', params: { _meta } })],
]

test.each(messages)('%s loses the keys of the hub, and nothing else', (_, make) => {
  const message = make({ ...forged })
  removeOwnMeta(message)
  expect(JSON.stringify(message)).toBe(JSON.stringify(make(kept)))
})

test('data that is no metadata is not changed', () => {
  const message = { result: { structuredContent: { _meta: { ...forged } } } }
  removeOwnMeta(message)
  expect(message).toEqual({ result: { structuredContent: { _meta: forged } } })
})

test('a text in place of questions is not taken apart into its characters', () => {
  const message = { result: { inputRequests: 'x'.repeat(20_000_000) } }
  const before = cpuMs()
  removeOwnMeta(message)
  expect(cpuMs() - before).toBeLessThan(20)
})
