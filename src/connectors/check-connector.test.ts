import { describe, expect, test } from 'vitest'
import { ownMounts } from '../api/connector.ts'
import { checkConnector } from './check-connector.ts'
import { checkLabels, chooseLabel } from './labels.ts'

const files = { name: 'files', transport: 'stdio', cmd: 'npx', args: ['-y', 'server-files', '{workspace}'] }
const github = {
  name: 'github',
  transport: 'http',
  base_url: 'https://example.org/mcp',
  headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' },
}

test.each([
  files,
  github,
  { ...github, base_url: '${GITHUB_URL}' },
  { ...github, base_url: 'https://${HOST:-example.org}:${PORT:-1}/{session_id}' },
  { ...files, options: { env: { DATABASE_URL: '${PG_URL}', MODE: 'x' }, oauth: { client_secret: '${SECRET}' } } },
])('valid connector %# is accepted', (input) => {
  expect(checkConnector(input)).toMatchObject(input)
})

describe('invalid connectors are refused with advice', () => {
  test.each([
    [{ ...files, name: 'My Files' }, 'a connector name has lowercase letters'],
    [{ ...files, transport: 'pigeon' }, '"transport": there are stdio, http, sse.'],
    [{ ...files, cmd: undefined }, '"cmd": a stdio connector names the program'],
    [{ ...files, cmd: ' ' }, '"cmd"'],
    [{ ...files, args: ['a\0b'] }, 'NUL'],
    [{ name: 'x', transport: 'http' }, '"base_url": an http connector names the address'],
    [{ name: 'x', transport: 'sse', base_url: 'example.org' }, 'http:// or https://'],
    [{ name: 'x', transport: 'http', base_url: 'file:///etc/passwd' }, 'http:// or https://'],
    [{ ...github, headers: { 'Bad Name': 'x' } }, '"Bad Name" cannot be the name of a header'],
    [{ ...files, command: 'x' }, 'Did you mean "cmd"?'],
    [{ ...files, env_key: [] }, 'Did you mean "env_keys"?'],
    [{ ...files, autoApprove: [] }, 'go into "options"'],
    [{ ...files, kind: 'server' }, '"kind": a connector is an MCP server that the hub calls, so use "client"'],
    [{ ...files, env_keys: ['A=1'] }, '"env_keys": "A=1" is not the name of a variable'],
    [{ ...files, env_keys: ['SIGNALBOX_TOKEN'] }, "the hub's own"],
    [{ ...files, args: ['${DATABASE_URL}'] }, '"args[0]": DATABASE_URL'],
    [{ ...files, options: { shared: true } }, '{workspace} is another for each session'],
    [{ ...files, options: { call_ms: 1 } }, 'options.call_ms'],
  ])('invalid connector %# is refused: %o', (input, sentence) => {
    expect(() => checkConnector(input)).toThrow(sentence)
  })

  test.each([
    [{ ...github, headers: { Authorization: 'Bearer hunter2-hunter2' } }, '"Bearer ${GITHUB_TOKEN}"'],
    [
      { ...github, headers: { 'X-Api-Key': 'hunter2-hunter2' } },
      'Set GITHUB_API_KEY in the environment of the hub, and write "${GITHUB_API_KEY}"',
    ],
    [{ ...github, base_url: 'https://me:hunter2-hunter2@example.org/' }, '"base_url" holds what looks like a secret'],
    [{ ...github, base_url: 'https://example.org/?api_key=hunter2-hunter2' }, '"base_url"'],
    [{ ...files, args: ['--token', 'hunter2-hunter2'] }, '"args[1]"'],
    [{ ...files, args: ['--token=hunter2-hunter2'] }, '"args[0]"'],
    [{ ...files, args: [`ghp_${'hunter2'.repeat(5)}`] }, '"args[0]"'],
    [{ ...files, options: { env: { GITHUB_TOKEN: 'hunter2-hunter2' } } }, '"env_keys": ["GITHUB_TOKEN"]'],
    [{ ...files, options: { oauth: { client_secret: 'hunter2-hunter2' } } }, '"options.oauth.client_secret"'],
    [{ ...files, env_keys: ['sk-hunter2hunter2hunter2hunter2'] }, '"env_keys": "…"'],
    [{ name: 'x', transport: 'http', base_url: 'me:token=hunter2-hunter2' }, '"base_url"'],
  ])('connector %# with a literal secret is refused', (input, sentence) => {
    expect(() => checkConnector(input)).toThrow(sentence)
    expect(() => checkConnector(input)).not.toThrow('hunter2')
  })
})

describe('the label of a binding', () => {
  test('a label is made from the connector’s name unless one is requested', () => {
    expect(chooseLabel('my-long-files', undefined)).toBe('mylongfiles')
    expect(chooseLabel('a'.repeat(40), undefined)).toHaveLength(24)
    expect(chooseLabel('files', 'f2')).toBe('f2')
    expect(() => chooseLabel('files', 'with_underscore')).toThrow('"label": a mount name has')
  })

  test.each(ownMounts)('a label cannot be %s, a mount of the hub, and both are named', (mount) => {
    expect(() => checkLabels([{ connector: 'files', label: mount }], new Map())).toThrow(
      `the connector "files" would be the mount "${mount}", which is taken by the hub's own mount "${mount}"`,
    )
  })
})
