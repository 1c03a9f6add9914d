import { expect, test } from 'vitest'
import { findLiteralSecrets, nameBefore } from './literal-secrets.ts'

const found = (text: string, name?: string) =>
  findLiteralSecrets(text, name).map(({ start, end }) => text.slice(start, end))

const githubToken = `ghp_${'a1B2'.repeat(9)}`
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'

// In quadratic time this would take minutes, and the test would time out.
test('searching half a megabyte of text that looks like the beginning of tokens ends', () => {
  expect(found('-eyJ'.repeat(125_000), 'NOTE')).toEqual([])
})

test.each([
  ['Authorization', `Bearer ${githubToken}`, githubToken],
  ['authorization', 'Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['X-Api-Key', 'hunter2', 'hunter2'],
  ['Cookie', 'session=abc123', 'session=abc123'],
  ['OPENAI_API_KEY', 'sk-proj-abcdefghijklmnop1234', 'sk-proj-abcdefghijklmnop1234'],
  ['DB_PASSWORD', 'x', 'x'],
  ['DB_PASSWORD', '/secret', '/secret'],
  ['description', 'Uses the token: abc123def', 'abc123def'],
  ['token', '${TOKEN:-hunter2}', 'hunter2'],
  ['NOTE', githubToken, githubToken],
  ['NOTE', 'xoxb-1234567890-abcdefghij', 'xoxb-1234567890-abcdefghij'],
  ['NOTE', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['NOTE', jwt, jwt],
  [undefined, 'https://user:hunter22@example.org/mcp', 'hunter22'],
  [undefined, `https://${githubToken}@example.org/mcp`, githubToken],
  [undefined, 'https://example.org/mcp?api_key=hunter22&x=1', 'hunter22'],
  [undefined, '--api-key=hunter22', 'hunter22'],
  [undefined, 'curl -H "Authorization: Bearer abc123def456"', 'abc123def456'],
])('under the name %s, the text %s contains a secret', (name, text, secret) => {
  expect(found(text, name).join(' ')).toContain(secret)
})

test.each([
  ['Authorization', 'Bearer ${GITHUB_TOKEN}'],
  ['Authorization', '${SCHEME} ${GITHUB_TOKEN}'],
  ['Authorization', 'token ${GITHUB_TOKEN}'],
  ['Cookie', 'session=${COOKIE}; theme=dark'],
  ['X-Api-Key', '${KEY}'],
  ['X-Api-Key', '${KEY:-}'],
  ['X-Api-Key', ''],
  ['USE_TOKEN', 'true'],
  ['MAX_TOKENS', '4096'],
  ['progressToken', 'abc'],
  ['LOG_LEVEL', 'debug'],
  ['KEY_PATH', '/home/me/key.pem'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
  ['SSL_KEY', '~/certificates/key.pem'],
  ['description', 'Needs an API key: get one at https://example.org/keys'],
  [undefined, 'https://example.org/mcp?workspace={workspace}'],
  [undefined, 'https://${USER}:${PASSWORD}@example.org/mcp?key=${KEY}'],
  [undefined, '--api-key=${API_KEY}'],
  [undefined, '@modelcontextprotocol/server-github'],
  [undefined, '--tokenizer'],
  [undefined, 'sk-learn'],
])('under the name %s, the text %s contains no secret', (name, text) => {
  expect(found(text, name)).toEqual([])
})

test('a flag names the argument after it', () => {
  const args = ['run', '--api-key', 'hunter22', '-v', '--', 'x']
  expect(args.map((_, index) => nameBefore(args, index))).toEqual([
    undefined,
    undefined,
    'api-key',
    undefined,
    'v',
    undefined,
  ])
})
