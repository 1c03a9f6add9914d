import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'

const github = {
  name: 'github',
  transport: 'http',
  base_url: 'https://example.org/mcp',
  headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' },
}

let store: Store
beforeEach(async () => {
  store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
})

test('a connector can be saved, bound, listed, unbound and deleted', async () => {
  const world = connectorWorld(store, {
    environment: { GITHUB_TOKEN: 'secret-of-github' },
    upstreamOf: () => ({
      status: { is: 'failed', reason: 'it answered 401', retryAt: '2026-01-01T00:00:00.000Z' },
      identity: { era: 'legacy', version: '2025-06-18', capabilities: {} },
      breach: { sentence: 'It answered one request twice.', at: '2025-12-31T00:00:00.000Z' },
      stderr: 'gone fishing',
      output: { lines: [{ at: '2026-01-01T00:00:00.000Z', from: 'program', text: 'gone fishing' }], total: 9 },
      dropped: 2,
    }),
  })
  const { callTool } = world
  await world.addSession('build')
  const upstream = {
    is: 'failed',
    reason: 'it answered 401',
    era: 'legacy',
    version: '2025-06-18',
    retry_at: '2026-01-01T00:00:00.000Z',
    breach: { sentence: 'It answered one request twice.', at: '2025-12-31T00:00:00.000Z' },
  }
  const saved = { ...github, kind: 'client', env_keys: [], options: {}, strict: true, enabled: true }
  expect(await callTool('save_connector', github)).toEqual({
    ...saved,
    upstream: { is: 'stopped' },
    sessions: [],
    variables: [{ name: 'GITHUB_TOKEN', state: 'set' }],
  })
  expect(await callTool('bind_connector', { session: 'build', connector: 'github', label: 'gh' })).toMatchObject({
    session: 'build',
    connector: 'github',
    label: 'gh',
    overrides: {},
    priority: 0,
    resolved: { headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } },
    upstream: { ...upstream, stderr: 'gone fishing', dropped: 2 },
  })
  expect(await callTool('list_connectors', {})).toEqual({
    connectors: [{ ...saved, upstream, sessions: ['build'], variables: [{ name: 'GITHUB_TOKEN', state: 'set' }] }],
  })
  expect(await callTool('list_bindings', { session: 'id-of-build' })).toMatchObject({ bindings: [{ label: 'gh' }] })
  expect(await callTool('unbind_connector', { session: 'build', label: 'gh' })).toEqual({
    session: 'build',
    label: 'gh',
    connector: 'github',
    overrides: {},
    priority: 0,
    resolved: expect.objectContaining({ base_url: github.base_url }) as object,
  })
  await callTool('bind_connector', { session: 'build', connector: 'github' })
  expect(await callTool('delete_connector', { name: 'github' })).toEqual({
    ...saved,
    upstream: { is: 'stopped' },
    sessions: ['build'],
  })
  expect(await callTool('list_bindings', { session: 'build' })).toEqual({ bindings: [] })
})

describe('test_connector', () => {
  test('test_connector reports what the upstream offers, and saves nothing', async () => {
    const targets: UpstreamTarget[] = []
    const { callTool, connectors } = connectorWorld(store, {
      environment: { GITHUB_TOKEN: 'secret-of-github' },
      async test(target) {
        targets.push(target)
        const report = {
          era: 'modern',
          version: '2026-07-28',
          tools: ['a', 'b'],
          resources: [],
          prompts: ['p'],
        } as const
        return { report }
      },
    })
    const { name: _, ...unnamed } = github
    expect(await callTool('test_connector', { connector: { ...unnamed, enabled: false } })).toMatchObject({
      ok: true,
      era: 'modern',
      tools: { count: 2, names: ['a', 'b'] },
      resources: { count: 0, names: [] },
      prompts: { count: 1, names: ['p'] },
      missing: [],
      resolved: { headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } },
    })
    expect(targets).toMatchObject([{ reach: { headers: { Authorization: 'Bearer secret-of-github' } } }])
    expect(await connectors.list()).toEqual([])
  })

  test('test_connector reports missing variables without starting the upstream', async () => {
    const { callTool } = connectorWorld(store, { test: () => Promise.reject(new Error('must not be tried')) })
    await callTool('save_connector', github)
    expect(await callTool('test_connector', { name: 'github' })).toMatchObject({
      ok: false,
      missing: ['GITHUB_TOKEN'],
      error: expect.stringContaining('export GITHUB_TOKEN=…') as string,
    })
  })

  test('test_connector reports a failure without the secrets that the upstream received', async () => {
    const { callTool } = connectorWorld(store, {
      environment: { GITHUB_TOKEN: 'secret-of-github' },
      test: async () => ({ error: '401: "secret-of-github" is not good', stderr: '' }),
    })
    await callTool('save_connector', github)
    expect(await callTool('test_connector', { name: 'github' })).toMatchObject({
      ok: false,
      error: '401: "[redacted]" is not good',
    })
  })

  test('test_connector reports the working directory, and the stderr of a failed program', async () => {
    const world = connectorWorld(store, { test: async () => ({ error: 'it ended', stderr: 'no such table' }) })
    const { callTool } = world
    await world.addSession('build')
    await callTool('save_connector', { name: 'a', transport: 'stdio', cmd: 'true' })
    const failed = { ok: false, error: 'it ended', stderr: 'no such table' }
    expect(await callTool('test_connector', { name: 'a' })).toMatchObject({ ...failed, workspace: '/tmp' })
    expect(await callTool('test_connector', { name: 'a', session: 'build' })).toMatchObject({
      cwd: '/hub/connectors',
      workspace: '/srv/build',
    })
    const address = { transport: 'http', base_url: 'https://example.org' }
    expect(await callTool('test_connector', { connector: address })).not.toHaveProperty('cwd')
  })

  test('test_connector reports an invalid value of a variable without starting the upstream', async () => {
    const { callTool } = connectorWorld(store, {
      environment: { PLACE: 'nowhere' },
      test: () => Promise.reject(new Error('must not be tried')),
    })
    expect(await callTool('test_connector', { connector: { transport: 'http', base_url: '${PLACE}' } })).toMatchObject({
      ok: false,
      error: expect.stringContaining('does not resolve to an address') as string,
    })
  })

  test('test_connector needs either a name or a connector, and an existing session', async () => {
    const { callTool } = connectorWorld(store)
    expect(await callTool('test_connector', {})).toContain('Give either "name"')
    expect(await callTool('test_connector', { name: 'x', connector: github })).toContain('Give either "name"')
    expect(await callTool('test_connector', { name: 'nope' })).toContain('There is no connector "nope"')
    await callTool('save_connector', { name: 'a', transport: 'stdio', cmd: 'true' })
    expect(await callTool('test_connector', { name: 'a', session: 'nope' })).toContain('There is no session "nope"')
  })
})

test('lists come in pages, each starting after the last name of the previous one', async () => {
  const world = connectorWorld(store)
  const { callTool } = world
  await world.addSession('build')
  for (const name of ['b', 'a-1', 'c', 'a1']) {
    await callTool('save_connector', { ...github, name })
    await callTool('bind_connector', { session: 'build', connector: name, label: name.replace('-', 'x') })
  }
  const named = (...names: string[]) => names.map((name) => expect.objectContaining({ name }) as object)
  expect(await callTool('list_connectors', { limit: 3 })).toEqual({
    connectors: named('a-1', 'a1', 'b'),
    next_cursor: 'b',
  })
  await callTool('delete_connector', { name: 'b' })
  expect(await callTool('list_connectors', { cursor: 'b', limit: 3 })).toEqual({ connectors: named('c') })
  expect(await callTool('list_bindings', { session: 'build', limit: 1 })).toMatchObject({
    bindings: [{ label: 'a1' }],
    next_cursor: 'a1',
  })
  expect(await callTool('list_bindings', { session: 'build', cursor: 'a1' })).toMatchObject({
    bindings: [{ label: 'ax1' }, { label: 'c' }],
  })
})

test('a connector shows the worst of its upstreams, and the latest breach of all', async () => {
  const facts = (is: 'running' | 'failed', at?: string) => ({
    status: { is },
    identity: undefined,
    stderr: 'private to its session',
    output: { lines: [], total: 0 },
    dropped: 0,
    breach: at === undefined ? undefined : { sentence: `breach of ${at}`, at },
  })
  const upstreams = new Map([
    ['id-of-one', facts('running', '2026-01-02')],
    ['id-of-two', facts('failed', '2026-01-01')],
    ['id-of-three', facts('running')],
  ])
  const world = connectorWorld(store, { upstreamOf: (session) => upstreams.get(session) })
  await world.callTool('save_connector', github)
  for (const name of ['one', 'two', 'three']) {
    await world.addSession(name)
    await world.callTool('bind_connector', { session: name, connector: 'github' })
  }
  expect(await world.callTool('list_connectors', {})).toMatchObject({
    connectors: [{ upstream: { is: 'failed', breach: { sentence: 'breach of 2026-01-02', at: '2026-01-02' } } }],
  })
  expect(JSON.stringify(await world.callTool('list_connectors', {}))).not.toContain('private')
})

describe('restart_connector', () => {
  test('restart_connector returns every restarted binding, and records an event for each session', async () => {
    const asked: unknown[] = []
    const world = connectorWorld(store, {
      async restart(...args) {
        asked.push(args)
        return ['one', 'two'].map((name) => ({ session: `id-of-${name}`, label: 'github' }))
      },
    })
    await world.callTool('save_connector', github)
    for (const name of ['one', 'two']) {
      await world.addSession(name)
      await world.callTool('bind_connector', { session: name, connector: 'github' })
    }
    expect(await world.callTool('restart_connector', { name: 'github', session: 'one' })).toMatchObject({
      name: 'github',
      bindings: [
        { session: 'one', label: 'github' },
        { session: 'two', label: 'github' },
      ],
    })
    expect(asked).toEqual([['github', 'id-of-one']])
    expect(world.events.slice(-2)).toEqual(
      ['one', 'two'].map((name) => ({
        type: 'connector-restarted',
        session: `id-of-${name}`,
        payload: { connector: 'github', label: 'github' },
      })),
    )
  })

  test('restart_connector explains why nothing was restarted', async () => {
    const world = connectorWorld(store)
    const restart = (session?: string) => world.callTool('restart_connector', { name: 'github', session })
    expect(await restart()).toContain('There is no connector "github"')
    await world.callTool('save_connector', github)
    expect(await restart()).toBe(
      'No upstream of "github" runs. It is bound to no session that runs; bind_connector gives it to one.',
    )
    await world.addSession('build')
    await world.addSession('other')
    await world.callTool('bind_connector', { session: 'build', connector: 'github' })
    expect(await restart()).toContain('It starts by itself when the agent of build first connects')
    expect(await restart('other')).toBe(
      'No upstream of "github" runs in the session "other". It is not bound there; bind_connector does that.',
    )
    expect(await restart('nope')).toContain('There is no session "nope"')
    await world.callTool('save_connector', { ...github, enabled: false })
    expect(await restart()).toBe('No upstream of "github" runs. It is switched off; save it with "enabled": true.')
  })
})

describe('import_connectors', () => {
  const text = '{"mcpServers": {"gh": {"command": "npx", "env": {"GITHUB_TOKEN": "hunter2-hunter2"}}}}'

  test('import_connectors shows its plan before it applies it, and stores no secret', async () => {
    const { callTool, connectors, events } = connectorWorld(store)
    const shown = {
      add: [{ name: 'gh', env_keys: ['GITHUB_TOKEN'] }],
      change: [],
      remove: [],
      secrets: [{ variable: 'GITHUB_TOKEN' }],
    }
    expect(await callTool('import_connectors', { text })).toMatchObject({ ...shown, done: false })
    expect(await connectors.list()).toEqual([])
    const done = await callTool('import_connectors', { text, dry_run: false })
    expect(done).toMatchObject({ ...shown, done: true })
    const kept = await store.db.selectFrom('mcp_connectors').selectAll().execute()
    expect(kept).toHaveLength(1)
    expect(JSON.stringify([done, kept, events])).not.toContain('hunter2')
  })

  test('import_connectors reads the files of a program on the hub’s machine, and names them', async () => {
    const home = temporaryDirectory()
    mkdirSync(join(home, '.gemini'))
    const settings = { mcpServers: { web: { httpUrl: 'https://x.org/mcp', headers: { A: 'Bearer $WEB_TOKEN' } } } }
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    const { callTool } = connectorWorld(store, { baseEnvironment: { HOME: home } })
    expect(await callTool('import_connectors', { from: 'gemini' })).toMatchObject({
      add: [{ name: 'web', headers: { A: 'Bearer ${WEB_TOKEN}' } }],
      files: [join(home, '.gemini/settings.json')],
    })
    expect(await callTool('import_connectors', { from: 'codex' })).toContain('There is no file of codex')
    expect(await callTool('import_connectors', {})).toContain(
      '"from": one of claude, claude-desktop, codex, gemini, vscode, cursor',
    )
  })
})

test('arguments that may hold a secret by mistake are not recorded', () => {
  const { tools } = connectorWorld(store)
  expect(tools.get('save_connector')?.unrecorded).toEqual(
    expect.arrayContaining(['headers', 'args', 'options', 'base_url']),
  )
  expect(tools.get('test_connector')?.unrecorded).toEqual(['connector'])
  expect(tools.get('import_connectors')?.unrecorded).toEqual(['text'])
  expect(tools.get('bind_connector')?.unrecorded).toEqual(['overrides'])
})

test('a secret in the overrides of a binding is refused', async () => {
  const world = connectorWorld(store)
  await world.addSession('build')
  await world.callTool('save_connector', github)
  const overrides = { headers: { 'X-Api-Key': 'hunter2-hunter2' } }
  const said = await world.callTool('bind_connector', { session: 'build', connector: 'github', overrides })
  expect(said).toContain('"headers.X-Api-Key" holds what looks like a secret')
  expect(said).not.toContain('hunter2')
  expect(
    await world.callTool('bind_connector', {
      session: 'build',
      connector: 'github',
      overrides: { transport: 'stdio' },
    }),
  ).toContain('"cmd"')
})

test('a dry run shows the binding that would be made, and binds nothing', async () => {
  const world = connectorWorld(store)
  await world.addSession('build')
  await world.callTool('save_connector', github)
  const bind = (args: object) =>
    world.callTool('bind_connector', { session: 'build', connector: 'github', dry_run: true, ...args })
  expect(await bind({ label: 'gh', overrides: { strict: false } })).toMatchObject({
    label: 'gh',
    resolved: { strict: false },
  })
  expect(await bind({ overrides: { headers: { 'X-Api-Key': 'hunter2-hunter2' } } })).toContain('looks like a secret')
  expect(await bind({ label: 'terminal' })).toContain("taken by the hub's own mount")
  expect(await world.callTool('list_bindings', { session: 'build' })).toEqual({ bindings: [] })
})

test('the resources show the same connectors and bindings, and unknown ones do not exist', async () => {
  const world = connectorWorld(store, { environment: {} })
  await world.addSession('build')
  await world.callTool('save_connector', github)
  await world.callTool('bind_connector', { session: 'build', connector: 'github' })
  const [provider] = world.connectors.providers ?? []
  const call = {} as never
  const [list] = provider?.resources?.() ?? []
  expect(JSON.stringify(await list?.read(call))).toContain('example.org')
  const templates = new Map(provider?.resourceTemplates?.().map((each) => [each.uriTemplate, each]))
  const one = templates.get('resource://connectors/{name}')
  expect(JSON.stringify(await one?.read('resource://connectors/github', { name: 'github' }, call))).toContain(
    'example.org',
  )
  expect(await one?.read('resource://connectors/x', { name: 'x' }, call)).toBeUndefined()
  const completers = one?.complete
  expect(await completers?.['name']?.('gi')).toEqual(['github'])
  const bindings = templates.get('resource://sessions/{id}/mcp')
  const read = await bindings?.read('resource://sessions/build/mcp', { id: 'build' }, call)
  expect(JSON.stringify(read)).toContain(String.raw`\"missing\":[\"GITHUB_TOKEN\"]`)
  expect(await bindings?.read('resource://sessions/x/mcp', { id: 'x' }, call)).toBeUndefined()
})
