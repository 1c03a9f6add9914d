/** Failures in the words of the agents and their providers. */
import { expect, test } from 'vitest'
import { explainFailure } from './turn-failure.ts'

const remedies = { login: 'log in.', contextFull: 'compact.' }
const explain = (said: string) => explainFailure(said, remedies)

test.each([
  ['exceeded retry limit, last status: 429 Too Many Requests', 'takes no more requests'],
  ['API Error: 529 Overloaded', 'takes no more requests'],
  ['Prompt is too long · the request is ~210000 tokens', 'The context is full: compact.'],
  ["Codex ran out of room in the model's context window.", 'The context is full: compact.'],
  ['Not logged in · Please run /login', 'needs a login: log in.'],
  ['Invalid API key', 'needs a login: log in.'],
])('%s', (said, hint) => {
  expect(explain(said)).toContain(said)
  expect(explain(said)).toContain(hint)
})

test('the message of a provider is taken out of its JSON', () => {
  const body = {
    error: { code: 400, message: 'The input exceeds the maximum number of tokens allowed.', status: 'BAD' },
  }
  expect(explain(JSON.stringify(body))).toBe(
    'The input exceeds the maximum number of tokens allowed. (BAD). The context is full: compact.',
  )
  expect(explain(`[API Error: ${JSON.stringify(body)}]`)).toBe(explain(JSON.stringify(body)))
})

test('another failure stays as it was said', () => {
  for (const said of ['The disk is full.', '{"a":', '{"error":1}']) expect(explain(said)).toBe(said)
})
