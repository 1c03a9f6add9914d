import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectorWorld } from '../../test/fixtures/connector-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { Completers, UpstreamTarget } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'

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

test('a connector is saved, listed, tried out, bound, unbound and deleted', async () => {
  const world = connectorWorld(store, {
    environment: { GITHUB_TOKEN: 'secret-of-github' },
    upstreamStatus: () => ({ is: 'failed', reason: 'it answered 401', era: 'legacy' }),
  })
  const { callTool } = world
  await world.addSession('build')
  const saved = { ...github, kind: 'client', env_keys: [], options: {}, strict: true, enabled: true }
  expect(await callTool('save_connector', github)).toEqual({ ...saved, upstream: { is: 'stopped' }, sessions: [] })
  expect(await callTool('bind_connector', { session: 'build', connector: 'github', label: 'gh' })).toMatchObject({
    session: 'build',
    connector: 'github',
    label: 'gh',
    overrides: {},
    priority: 0,
    resolved: { headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } },
    upstream: { is: 'failed', reason: 'it answered 401' },
  })
  expect(await callTool('list_connectors', {})).toEqual({
    connectors: [{ ...saved, upstream: { is: 'failed', reason: 'it answered 401' }, sessions: ['build'] }],
  })
  expect(await callTool('list_bindings', { session: 'id-of-build' })).toMatchObject({ bindings: [{ label: 'gh' }] })
  expect(await callTool('unbind_connector', { session: 'build', label: 'gh' })).toEqual({
    session: 'build',
    label: 'gh',
    connector: 'github',
  })
  await callTool('bind_connector', { session: 'build', connector: 'github' })
  expect(await callTool('delete_connector', { name: 'github' })).toEqual({ name: 'github', sessions: ['build'] })
  expect(await callTool('list_bindings', { session: 'build' })).toEqual({ bindings: [] })
})

describe('test_connector', () => {
  test('says what it offers, in the words of the upstream, and keeps nothing', async () => {
    const targets: UpstreamTarget[] = []
    const { callTool, connectors } = connectorWorld(store, {
      environment: { GITHUB_TOKEN: 'secret-of-github' },
      async test(target) {
        targets.push(target)
        return { era: 'modern', version: '2026-07-28', tools: ['a', 'b'], resources: [], prompts: ['p'] }
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

  test('says what is missing without trying', async () => {
    const { callTool } = connectorWorld(store, { test: () => Promise.reject(new Error('must not be tried')) })
    await callTool('save_connector', github)
    expect(await callTool('test_connector', { name: 'github' })).toMatchObject({
      ok: false,
      missing: ['GITHUB_TOKEN'],
      error: expect.stringContaining('export GITHUB_TOKEN=…') as string,
    })
  })

  test('a failure is told without what the upstream was given', async () => {
    const { callTool } = connectorWorld(store, {
      environment: { GITHUB_TOKEN: 'secret-of-github' },
      test: () => Promise.reject(new Error('401: "secret-of-github" is not good')),
    })
    await callTool('save_connector', github)
    expect(await callTool('test_connector', { name: 'github' })).toMatchObject({
      ok: false,
      error: '401: "[redacted]" is not good',
    })
  })

  test('takes a name or a connector, and a session that is there', async () => {
    const { callTool } = connectorWorld(store)
    expect(await callTool('test_connector', {})).toContain('Give either "name"')
    expect(await callTool('test_connector', { name: 'x', connector: github })).toContain('Give either "name"')
    expect(await callTool('test_connector', { name: 'nope' })).toContain('There is no connector "nope"')
    await callTool('save_connector', { name: 'a', transport: 'stdio', cmd: 'true' })
    expect(await callTool('test_connector', { name: 'a', session: 'nope' })).toContain('There is no session "nope"')
  })
})

describe('import_connectors', () => {
  const text = '{"mcpServers": {"gh": {"command": "npx", "env": {"GITHUB_TOKEN": "hunter2-hunter2"}}}}'

  test('shows first, then does it, and the secret is nowhere', async () => {
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

  test('reads the files of a program on the machine of the hub, and says which', async () => {
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
    expect(await callTool('import_connectors', {})).toContain('"from": one of claude, codex, gemini, vscode, cursor')
  })
})

test('what may hold a secret by mistake is recorded by no call', () => {
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

test('the resources show the same, and one that is not there is none', async () => {
  const world = connectorWorld(store, { environment: {} })
  await world.addSession('build')
  await world.callTool('save_connector', github)
  await world.callTool('bind_connector', { session: 'build', connector: 'github' })
  const { provider } = world.connectors
  const call = {} as never
  const [list] = provider.resources?.() ?? []
  expect(JSON.stringify(await list?.read(call))).toContain('example.org')
  const templates = new Map(provider.resourceTemplates?.().map((each) => [each.uriTemplate, each]))
  const one = templates.get('resource://connectors/{name}')
  expect(JSON.stringify(await one?.read('resource://connectors/github', { name: 'github' }, call))).toContain(
    'example.org',
  )
  expect(await one?.read('resource://connectors/x', { name: 'x' }, call)).toBeUndefined()
  const completers = one?.complete as Completers | undefined
  expect(await completers?.['name']?.('gi')).toEqual(['github'])
  const bindings = templates.get('resource://sessions/{id}/mcp')
  const read = await bindings?.read('resource://sessions/build/mcp', { id: 'build' }, call)
  expect(JSON.stringify(read)).toContain(String.raw`\"missing\":[\"GITHUB_TOKEN\"]`)
  expect(await bindings?.read('resource://sessions/x/mcp', { id: 'x' }, call)).toBeUndefined()
})
