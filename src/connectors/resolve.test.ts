import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { describe, expect, test } from 'vitest'
import type { Connector, Overrides } from '../api/connector.ts'
import { connectorSchema } from '../api/connector.ts'
import type { Sandbox } from '../api/sandbox.ts'
import { createRedactor } from '../base/redact.ts'
import { createResolver } from './resolve.ts'

const session = { id: 's1', name: 'build', workspacePath: '/srv/build' }
const baseEnvironment = { PATH: '/usr/bin', HOME: '/home/me' }
const startDirectory = '/hub/connectors'

function connector(fields: Partial<Connector>): Connector {
  return connectorSchema.parse({ name: 'files', transport: 'stdio', cmd: 'npx', ...fields })
}

function resolving(fields: Partial<Connector>, overrides: Overrides = {}, environment: Record<string, string> = {}) {
  const redactor = createRedactor()
  const resolver = createResolver({ environment, baseEnvironment, startDirectory, redactor })
  return { redactor, ...resolver.resolve(connector(fields), overrides, session) }
}

const http = { transport: 'http', cmd: undefined, base_url: 'https://example.org/mcp' } as const

describe('a program', () => {
  test('a program gets the base environment, then its own variables, then the hub’s variables that it names', () => {
    const { target } = resolving(
      {
        options: { env: { MODE: 'fast', PATH: '/opt/bin', GITHUB_TOKEN: '{session_name}' } },
        env_keys: ['GITHUB_TOKEN'],
      },
      {},
      { GITHUB_TOKEN: 'secret-of-github', OTHER_TOKEN: 'not asked for' },
    )
    expect(target.reach).toEqual({
      transport: 'stdio',
      command: 'npx',
      args: [],
      env: { HOME: '/home/me', PATH: '/opt/bin', MODE: 'fast', GITHUB_TOKEN: 'secret-of-github' },
      cwd: startDirectory,
      workspace: '/srv/build',
    })
  })

  test.each([
    ['.', '/srv/build'],
    ['sub/dir', '/srv/build/sub/dir'],
    ['{workspace}/x', '/srv/build/x'],
    ['~/x', '/home/me/x'],
    ['/abs', '/abs'],
    ['${DIR}', '/from/variable'],
  ])('a program with cwd %s runs in %s', (cwd, path) => {
    expect(resolving({ options: { cwd } }, {}, { DIR: '/from/variable' }).target.reach).toMatchObject({ cwd: path })
  })

  test('a shared program gets no workspace, and its directory is relative to the home', () => {
    const { reach } = resolving({ options: { shared: true } }).target
    expect(reach).toMatchObject({ cwd: startDirectory })
    expect(reach).not.toHaveProperty('workspace')
    expect(resolving({ options: { shared: true, cwd: 'x' } }).target.reach).toMatchObject({ cwd: '/home/me/x' })
  })

  test('a confined program runs in the workspace', () => {
    const sandbox: Sandbox = { write: [], read: [], network: 'none', nested: false }
    expect(resolving({ options: { sandbox } }).target.reach).toMatchObject({ cwd: '/srv/build' })
    expect(resolving({ options: { sandbox: 'off' } }).target.reach).toMatchObject({ cwd: startDirectory })
  })

  test('session placeholders in the arguments are filled in, and other braces stay unchanged', () => {
    const args = ['{workspace}', '{session_id}/{session_name}', '{"a": {}}', '${X:-{workspace}}', '$${HOME}']
    expect(resolving({ args }).target.reach).toMatchObject({
      args: ['/srv/build', 's1/build', '{"a": {}}', '/srv/build', '${HOME}'],
    })
  })
})

describe('an address', () => {
  test('references in an address and its headers are filled in', () => {
    const { target } = resolving(
      {
        ...http,
        base_url: 'https://${HOST}/mcp?dir={workspace}',
        headers: { Authorization: 'Bearer ${TOKEN}', 'X-Session': '{session_id}' },
      },
      {},
      { HOST: 'example.org', TOKEN: 'abc-def-ghi' },
    )
    expect(target.reach).toEqual({
      transport: 'http',
      url: 'https://example.org/mcp?dir=%2Fsrv%2Fbuild',
      headers: { Authorization: 'Bearer abc-def-ghi', 'X-Session': 's1' },
    })
  })

  test('an OAuth client gets its secret, which is not shown', () => {
    const oauth = { client_id: 'hub', client_secret: '${CLIENT_SECRET}' }
    const environment = { CLIENT_SECRET: 'abc-def-ghi' }
    const { target, redacted, redactor } = resolving({ ...http, options: { oauth } }, {}, environment)
    expect(target.reach).toMatchObject({ oauthClient: { id: 'hub', secret: 'abc-def-ghi' } })
    expect(JSON.stringify(redacted)).not.toContain('abc-def-ghi')
    expect(redactor.text('abc-def-ghi')).toBe('[redacted]')
  })

  test('a value that makes the address invalid is refused, and the message does not repeat it', () => {
    expect(() => resolving({ ...http, base_url: '${ADDRESS}' }, {}, { ADDRESS: 'ftp://secret-host/' })).toThrow(
      'The connector "files": "${ADDRESS}" does not resolve to an address',
    )
  })

  test('a header with a line break is refused, and the message does not repeat it', () => {
    const headers = { Authorization: 'Bearer ${TOKEN}' }
    const bad = () => resolving({ ...http, headers }, {}, { TOKEN: 'abc-def\nX-Evil: 1' })
    expect(bad).toThrow('the header Authorization')
    expect(bad).not.toThrow('abc-def')
  })
})

describe('a binding', () => {
  test('the overrides of a binding are merged by key for maps, and replace lists', () => {
    const { target } = resolving(
      { args: ['a', 'b'], options: { env: { A: '1', B: '2' }, call_ms: 1_000, era: 'legacy' }, env_keys: ['ONE'] },
      { args: ['c'], options: { env: { B: '3' }, call_ms: 2_000 }, env_keys: [], strict: false },
    )
    expect(target).toMatchObject({ era: 'legacy', callMs: 2_000, strict: false })
    expect(target.reach).toMatchObject({ args: ['c'], env: { ...baseEnvironment, A: '1', B: '3' } })
    expect(target.reach).not.toHaveProperty('env.ONE')
  })

  test('a binding replaces a header regardless of case', () => {
    const { target } = resolving(
      { ...http, headers: { Authorization: 'Bearer ${A}', 'X-Kept': '1' } },
      { headers: { authorization: 'Bearer ${B}' } },
      { A: 'aaaaaaaa', B: 'bbbbbbbb' },
    )
    expect(target.reach).toMatchObject({ headers: { authorization: 'Bearer bbbbbbbb', 'X-Kept': '1' } })
    expect(Object.keys((target.reach as { headers: object }).headers)).toHaveLength(2)
  })

  test('a binding may change the transport if it also says how to reach the server', () => {
    const to = { transport: 'sse', endpoint: 'http://localhost:1/sse' } as const
    expect(resolving({}, to).target.reach).toMatchObject({ transport: 'sse', url: 'http://localhost:1/sse' })
    expect(() => resolving({}, { transport: 'http' })).toThrow('base_url')
  })
})

describe('a variable that is not set', () => {
  test('all missing variables are named at once, with the connector and how to set them', () => {
    const bad = () => resolving({ env_keys: ['ONE_TOKEN'], args: ['${TWO}', '${THREE:-3}', '${TWO}'] })
    expect(bad).toThrow('The connector "files" needs TWO, ONE_TOKEN, which are not set in the environment of the hub.')
    expect(bad).toThrow('export TWO=…')
  })

  test('a variable is not looked up in a prototype', () => {
    expect(() => resolving({ args: ['${constructor}'] })).toThrow('constructor')
  })

  test('a default replaces a missing or empty variable', () => {
    expect(resolving({ args: ['${A:-x}', '${B:-}'] }, {}, { A: '' }).target.reach).toMatchObject({ args: ['x', ''] })
  })
})

describe('secrets', () => {
  const environment = {
    GITHUB_PAT: 'pat-0123456789',
    API_TOKEN: 'plainword',
    REGION: 'europe',
    CACHE: '/var/cache/mcp',
  }
  const given = {
    ...http,
    base_url: 'https://example.org/mcp?token=${API_TOKEN}',
    headers: { 'X-Pat': '${GITHUB_PAT}', 'X-Region': '${REGION}', 'X-Cache': '${CACHE}' },
  }

  test('secret values are reported to the redactor, and harmless values are not', () => {
    const { redactor, target } = resolving(given, {}, environment)
    expect(redactor.text('pat-0123456789 plainword')).toBe('[redacted] [redacted]')
    expect(redactor.text('in europe under /var/cache/mcp')).toBe('in europe under /var/cache/mcp')
    expect(JSON.stringify(target)).toContain('pat-0123456789')
  })

  test('secret values are neither shown nor part of the fingerprint', () => {
    const { redacted, fingerprint } = resolving(given, {}, environment)
    for (const value of Object.values(environment)) expect(JSON.stringify(redacted)).not.toContain(value)
    expect(redacted).toMatchObject({ headers: { 'X-Pat': '${GITHUB_PAT}' } })
    expect(resolving(given, {}, { ...environment, GITHUB_PAT: 'another-0123456' }).fingerprint).toBe(fingerprint)
  })

  test('a literal secret in the database is hidden too', () => {
    const { redacted } = resolving({ ...http, headers: { Authorization: 'Bearer abcdef123456' } })
    expect(redacted).toMatchObject({ headers: { Authorization: 'Bearer [redacted]' } })
  })
})

test('the fingerprint depends on the configuration but not on the order of its keys', () => {
  const of = (fields: Partial<Connector>) => resolving(fields).fingerprint
  const one = of({ args: ['a'], options: { env: { A: '1', B: '2' } } })
  expect(of({ args: ['a'], options: { env: { B: '2', A: '1' } } })).toBe(one)
  expect(of({ args: ['b'], options: { env: { A: '1', B: '2' } } })).not.toBe(one)
  expect(of({ args: ['a'] })).not.toBe(one)
})

test('a disabled connector has no configuration', () => {
  expect(() => resolving({ enabled: false })).toThrow('switched off')
})

test('a preview works without the variables, and reports which are missing', () => {
  const resolver = createResolver({ environment: {}, baseEnvironment, startDirectory, redactor: createRedactor() })
  const { missing, redacted } = resolver.preview(connector({ env_keys: ['ONE'], args: ['{workspace}'] }), {}, session)
  expect(missing).toEqual(['ONE'])
  expect(redacted).toMatchObject({ args: ['/srv/build'], env_keys: ['ONE'] })
})

describe('the resolver is the only way to a configuration', () => {
  const root = resolve(import.meta.dirname, '../..')

  /** Code that makes a target writes an object with a `reach`. */
  function makesTargets(text: string): boolean {
    let found = false
    const { program } = parseSync('file.ts', text)
    new Visitor({
      ObjectExpression({ properties }) {
        found ||= properties.some(
          (each) =>
            each.type === 'Property' && !each.method && each.key.type === 'Identifier' && each.key.name === 'reach',
        )
      },
    }).visit(program)
    return found
  }

  test('no other source file makes a target', () => {
    const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    expect(sources.length).toBeGreaterThan(150)
    const makers = sources.filter((file) => makesTargets(readFileSync(join(root, file), 'utf8')))
    expect(makers).toEqual(['src/connectors/resolve.ts'])
  })

  test('the check recognises code that makes a target', () => {
    expect(makesTargets(`const target = { name: 'x', reach: { transport: 'stdio' } }`)).toBe(true)
    expect(makesTargets(`const reach = 1; open({ ...given, reach })`)).toBe(true)
    expect(makesTargets(`const { reach: { transport } } = target`)).toBe(false)
    expect(makesTargets('interface Target { readonly reach: string }')).toBe(false)
  })
})
