import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Connector } from '../api/connector.ts'
import { connectorSchema } from '../api/connector.ts'
import { checkConnector } from './check-connector.ts'
import { readConnectors } from './formats/read.ts'
import type { Naming } from './import-connectors.ts'
import { planImport } from './import-connectors.ts'

const plan = (text: string, known: readonly Connector[] = [], environment = {}, naming: Naming = {}) =>
  planImport(readConnectors(text), new Map(known.map((each) => [each.name, each])), environment, naming)

const servers = (map: object) => JSON.stringify({ mcpServers: map })

describe('a secret in an import', () => {
  test('a secret variable of a program is passed on by name', () => {
    const { add, secrets } = plan(servers({ gh: { command: 'x', env: { GITHUB_TOKEN: 'hunter2', MODE: 'fast' } } }))
    expect(add).toMatchObject([{ env_keys: ['GITHUB_TOKEN'], options: { env: { MODE: 'fast' } } }])
    expect(secrets).toEqual([
      { connector: 'gh', variable: 'GITHUB_TOKEN', how: expect.stringContaining('export GITHUB_TOKEN=…') },
    ])
  })

  test.each([
    [
      { url: 'https://x.org/mcp', headers: { Authorization: 'Bearer hunter2-hunter2' } },
      { headers: { Authorization: 'Bearer ${MY_HUB_TOKEN}' } },
    ],
    [
      { url: 'https://x.org/mcp', headers: { 'X-API-Key': 'hunter2-hunter2' } },
      { headers: { 'X-API-Key': '${MY_HUB_API_KEY}' } },
    ],
    [
      { url: 'https://x.org/mcp?apiKey=hunter2-hunter2&a=1' },
      { base_url: 'https://x.org/mcp?apiKey=${MY_HUB_API_KEY}&a=1' },
    ],
    [{ url: 'https://me:hunter2-hunter2@x.org/mcp' }, { base_url: 'https://me:${MY_HUB_PASSWORD}@x.org/mcp' }],
    [{ command: 'x', args: ['--token', 'hunter2-hunter2'] }, { args: ['--token', '${MY_HUB_TOKEN}'] }],
    [{ command: 'x', args: ['--api-key=hunter2-hunter2'] }, { args: ['--api-key=${MY_HUB_API_KEY}'] }],
    [{ command: 'x', args: [`ghp_hunter2${'a'.repeat(30)}`] }, { args: ['${MY_HUB_SECRET}'] }],
    [
      { command: 'x', env: { URL: 'postgres://me:hunter2-hunter2@db/x' } },
      { options: { env: { URL: 'postgres://me:${MY_HUB_PASSWORD}@db/x' } } },
    ],
    [
      { command: 'x', oauth: { clientSecret: 'hunter2-hunter2' } },
      { options: { oauth: { clientSecret: '${MY_HUB_CLIENT_SECRET}' } } },
    ],
    [{ command: 'x', env: { KEY: '${KEY:-hunter2-hunter2}' } }, { options: { env: { KEY: '${KEY}' } } }],
  ])('secret %# is replaced with a reference', (entry, expected) => {
    const planned = plan(servers({ 'my-hub': entry }))
    expect(planned.add).toMatchObject([expected])
    expect(planned.secrets).toHaveLength(1)
    expect(JSON.stringify(planned)).not.toContain('hunter2')
  })

  test('a secret in the arguments of a program causes a warning that other users can see it', () => {
    const { warnings } = plan(servers({ x: { command: 'x', args: ['--token', 'hunter2'] } }))
    expect(warnings).toEqual([expect.stringContaining('the value of X_TOKEN stands in the arguments')])
  })

  test('a secret that the hub already has in its environment need not be set', () => {
    const text = servers({ gh: { command: 'x', env: { GITHUB_TOKEN: 'hunter2' } } })
    expect(plan(text, [], { GITHUB_TOKEN: 'hunter2' })).toMatchObject({
      add: [{ env_keys: ['GITHUB_TOKEN'] }],
      secrets: [],
    })
  })

  test('a secret with a used name but another value gets its own variable', () => {
    const other = {
      add: [{ env_keys: [], options: { env: { API_KEY: '${GH_API_KEY}' } } }],
      secrets: [{ variable: 'GH_API_KEY' }],
    }
    const text = servers({ gh: { command: 'x', env: { API_KEY: 'hunter2' } } })
    expect(plan(text, [], { API_KEY: 'another' })).toMatchObject(other)
    const known = connectorSchema.parse({ name: 'a', transport: 'stdio', cmd: 'x', env_keys: ['API_KEY'] })
    expect(plan(text, [known])).toMatchObject(other)
    const both = plan(
      servers({ a: { command: 'x', env: { API_KEY: 'one' } }, gh: { command: 'x', env: { API_KEY: 'two' } } }),
    )
    expect(both.secrets.map(({ variable }) => variable)).toEqual(['API_KEY', 'GH_API_KEY'])
    const shared = plan(
      servers({ a: { command: 'x', env: { API_KEY: 'one' } }, gh: { command: 'x', env: { API_KEY: 'one' } } }),
    )
    expect(shared.secrets.map(({ variable }) => variable)).toEqual(['API_KEY', 'API_KEY'])
  })

  test('a secret with the name of one of the hub’s own variables gets another name', () => {
    const { add } = plan(
      servers({
        db: { command: 'x', env: { DATABASE_URL: 'postgres://me:hunter2@db/x', SIGNALBOX_TOKEN: 'hunter2' } },
      }),
    )
    expect(add).toMatchObject([
      {
        env_keys: [],
        options: {
          env: { DATABASE_URL: 'postgres://me:${DB_PASSWORD}@db/x', SIGNALBOX_TOKEN: '${DB_SIGNALBOX_TOKEN}' },
        },
      },
    ])
  })
})

test('an unchanged connector is neither added nor changed', () => {
  const text = servers({ a: { command: 'x', env: { A_TOKEN: 'hunter2' } }, b: { url: 'https://x.org/mcp' } })
  const { add } = plan(text)
  expect(plan(text, add)).toMatchObject({ add: [], change: [], secrets: [] })
  const other = plan(servers({ a: { command: 'y' }, c: { command: 'z' } }), add, {}, { isReplacing: true })
  expect(other).toMatchObject({
    add: [{ name: 'c' }],
    change: [{ connector: { name: 'a', cmd: 'y' }, fields: ['cmd', 'env_keys'] }],
    remove: [],
  })
})

test('only a command line removes connectors, and only existing ones', () => {
  const known = [checkConnector({ name: 'a', transport: 'stdio', cmd: 'x' })]
  expect(plan('claude mcp remove a\nclaude mcp remove b', known)).toMatchObject({
    remove: ['a'],
    warnings: ['There is no connector "b" to remove.'],
  })
  expect(plan(servers({ b: { command: 'x' } }), known).remove).toEqual([])
})

test('an invalid connector is left out with the reason, and the others are imported', () => {
  const { add, warnings } = plan(
    servers({ a: { url: 'ftp://x' }, b: { command: 'x' }, c: { command: 'x', type: 'pigeon' } }),
  )
  expect(add).toMatchObject([{ name: 'b' }])
  expect(warnings).toEqual([
    expect.stringMatching(/^"a" is left out: "base_url"/),
    expect.stringMatching(/^"c" is left out: "transport": there are stdio, http, sse/),
  ])
})

describe('a connector with the name of another one', () => {
  const github = (command: string) => servers({ github: { command, env: { GITHUB_TOKEN: 'hunter2' } } })
  const ofCodex = plan(github('x'), [], {}, { program: 'codex' }).add

  test('is added under the name of its program, and the other one stays', () => {
    const planned = plan(github('y'), ofCodex, {}, { program: 'cursor' })
    expect(planned).toMatchObject({ add: [{ name: 'github-cursor', cmd: 'y' }], change: [] })
    expect(planned.warnings).toEqual([
      'There is another connector "github", which differs in cmd. This one is added as "github-cursor". To change the other one instead, import with --replace.',
    ])
  })

  test('is added with a number if its program is unknown', () => {
    expect(plan(github('y'), ofCodex)).toMatchObject({ add: [{ name: 'github-2', cmd: 'y' }], change: [] })
  })

  test('is the same one if nothing else differs, under either name', () => {
    expect(plan(github('x'), ofCodex, {}, { program: 'cursor' })).toMatchObject({ add: [], change: [], warnings: [] })
    const both = [...ofCodex, ...plan(github('y'), ofCodex, {}, { program: 'cursor' }).add]
    expect(plan(github('y'), both, {}, { program: 'cursor' })).toMatchObject({ add: [], change: [], warnings: [] })
  })

  test('replaces it on request, or the one that its program added before', () => {
    const replacing = { program: 'cursor', isReplacing: true }
    expect(plan(github('y'), ofCodex, {}, replacing)).toMatchObject({
      add: [],
      change: [{ connector: { name: 'github', cmd: 'y' }, fields: ['cmd'] }],
    })
    const both = [...ofCodex, ...plan(github('y'), ofCodex, {}, { program: 'cursor' }).add]
    expect(plan(github('z'), both, {}, replacing).change).toMatchObject([{ connector: { name: 'github-cursor' } }])
  })

  test('is kept beside another one of the same import', () => {
    const planned = plan('mcp add a -- x\nmcp add a -- y\nmcp add a -- x')
    expect(planned.add).toMatchObject([
      { name: 'a', cmd: 'x' },
      { name: 'a-2', cmd: 'y' },
    ])
    expect(planned.warnings).toEqual([expect.stringContaining('added as "a-2"')])
  })

  test('gets a name that is not too long', () => {
    const name = 'n'.repeat(40)
    const [first] = plan(servers({ [name]: { command: 'x' } })).add
    const { add } = plan(servers({ [name]: { command: 'y' } }), [first!], {}, { program: 'claude-desktop' })
    expect(add).toMatchObject([{ name: `${'n'.repeat(25)}-claude-desktop` }])
  })
})

test('the plan never contains a secret of any form from any place', () => {
  const secret = fc
    .string({ unit: fc.constantFrom(...Array.from('abcXYZ0189-_.~+/=')), minLength: 12, maxLength: 40 })
    .filter((text) => /\d/.test(text) && /[a-z]/.test(text) && /^\w/.test(text) && /\w$/.test(text))
  const places: readonly ((secret: string) => object)[] = [
    (s) => ({ command: 'x', env: { SERVICE_KEY: s } }),
    (s) => ({ command: 'x', args: ['--password', s] }),
    (s) => ({ command: 'x', args: [`--password=${s}`] }),
    (s) => ({ url: 'https://x.org', headers: { Authorization: `Bearer ${s}` } }),
    (s) => ({ url: 'https://x.org', headers: { 'x-api-key': s } }),
    (s) => ({ url: `https://x.org/?token=${s}` }),
    (s) => ({ url: 'https://x.org', bearer_token: s }),
    (s) => ({ command: 'x', nested: [{ deep: { token: s } }] }),
  ]
  fc.assert(
    fc.property(secret, fc.constantFrom(...places), (text, place) => {
      const planned = plan(servers({ it: place(text) }))
      expect(JSON.stringify(planned)).not.toContain(text)
      expect(planned.add).toHaveLength(1)
    }),
    { numRuns: 500 },
  )
})
