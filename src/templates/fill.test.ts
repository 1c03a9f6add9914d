import { expect, test } from 'vitest'
import { fill } from './fill.ts'

const words = { workspace: '/w', mcp_url: 'http://127.0.0.1:1/mcp', prompt: '{workspace} $& {mcp_url}' }

test('fills known words in every string and key, at any depth', () => {
  const filled = fill(
    { args: ['--cd={workspace}'], json: { '{workspace}/a': [{ url: '{mcp_url}' }, 1, null, true] }, text: undefined },
    words,
  )
  expect(filled).toEqual({
    args: ['--cd=/w'],
    json: { '/w/a': [{ url: 'http://127.0.0.1:1/mcp' }, 1, null, true] },
    text: undefined,
  })
})

test('leaves all other braces as they are', () => {
  const texts = [
    '{"a":{"b":"{}"}}',
    '${SIGNALBOX_TOKEN}',
    '{env:SIGNALBOX_TOKEN}',
    'a{2,3}',
    '{Workspace}',
    '{ workspace }',
    '{unknown}',
    '{toString}',
    '{__proto__}',
  ]
  expect(fill(texts, words)).toEqual(texts)
  expect(fill('projects={"{workspace}"={trust_level="trusted"}}', words)).toBe(
    'projects={"/w"={trust_level="trusted"}}',
  )
})

test('does not fill text that was filled in', () => {
  expect(fill('{prompt}', words)).toBe('{workspace} $& {mcp_url}')
})
