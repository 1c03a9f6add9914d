import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { Store } from '../store/store.ts'
import { openStore } from '../store/store.ts'

const files = {
  name: 'files',
  transport: 'stdio',
  cmd: 'files-mcp',
  args: ['--root', '${FILES_ROOT:-/srv}'],
  env_keys: ['FILES_TOKEN'],
  options: { disabled_tools: ['remove'] },
}
const lists = {
  tools: [{ name: 'read', inputSchema: { type: 'object' } }, { name: 'remove' }],
  resources: [{ uri: 'files://one', name: 'one' }],
  resourceTemplates: [],
  prompts: [],
}
const report = { era: 'legacy', version: '2025-11-25', tools: ['read', 'remove'], resources: [], prompts: [] } as const

let store: Store
beforeEach(async () => {
  store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
})

test('get_connector shows the lists of the last test, the state of its variables, and the output of its upstreams', async () => {
  const lines = [{ at: '2026-01-01T00:00:00.000Z', from: 'program', text: 'listening' }] as const
  const world = connectorWorld(store, {
    environment: { FILES_TOKEN: 'token-of-files' },
    test: async () => ({ report, lists: { ...lists, resources: [] }, ownLists: lists }),
    upstreamOf: () => ({
      status: { is: 'running' },
      resources: [{ uri: 'files://one', name: 'one' }],
      identity: undefined,
      breach: undefined,
      stderr: '',
      dropped: 0,
      output: { lines, total: 7 },
    }),
  })
  await world.callTool('save_connector', files)
  await world.addSession('build')
  await world.callTool('bind_connector', { session: 'build', connector: 'files' })
  expect(await world.callTool('get_connector', { name: 'files' })).not.toHaveProperty('offers')
  await world.callTool('test_connector', { name: 'files' })
  expect(world.told.at(-1)).toBe('resource://connectors/files')
  expect(await world.callTool('get_connector', { name: 'files' })).toMatchObject({
    tools: ['read'],
    offers: { tools: lists.tools, resources: lists.resources, resource_templates: [], prompts: [] },
    variables: [
      { name: 'FILES_TOKEN', state: 'set' },
      { name: 'FILES_ROOT', state: 'default' },
    ],
    upstreams: [{ session: 'build', label: 'files', is: 'running', output: { lines, total: 7 } }],
  })
})

test('call_connector_tool calls a tool as the person, also of a connector that is off, and records the call', async () => {
  const world = connectorWorld(store, { environment: { FILES_TOKEN: 'token-of-files' } })
  await world.callTool('save_connector', { ...files, enabled: false })
  const asked = { connector: 'files', tool: 'read', arguments: { path: 'a' } }
  expect(await world.callTool('call_connector_tool', asked)).toMatchObject({
    ok: true,
    result: { structuredContent: { name: 'read', arguments: { path: 'a' } } },
  })
  expect(world.events.slice(-2)).toMatchObject([
    {
      type: 'tool-called',
      parent: 'e1',
      route: 'mcp:stdio',
      payload: { tool: 'files_read', arguments: { path: 'a' }, upstream: 'files', role: 'human' },
    },
    { type: 'tool-answered', payload: { tool: 'files_read', outcome: 'ok' } },
  ])
})

test('call_connector_tool reports why there is no result, without secrets', async () => {
  const world = connectorWorld(store, {
    environment: { FILES_TOKEN: 'token-of-files' },
    request: async () => ({ error: 'it refused token-of-files', stderr: 'bad token' }),
  })
  await world.callTool('save_connector', files)
  expect(await world.callTool('call_connector_tool', { connector: 'files', tool: 'read' })).toMatchObject({
    ok: false,
    error: 'it refused [redacted]',
    stderr: 'bad token',
  })
})

test('log_out_connector forgets the login of an upstream', async () => {
  const kept = new Set(['wiki'])
  const world = connectorWorld(store, {
    logins: {
      pending: () => undefined,
      isKept: (name) => kept.has(name),
      forget: (name) => void kept.delete(name),
    },
  })
  await world.callTool('save_connector', { name: 'wiki', transport: 'http', base_url: 'https://example.org/mcp' })
  expect(await world.callTool('get_connector', { name: 'wiki' })).toMatchObject({ login: { is: 'kept' } })
  expect(await world.callTool('log_out_connector', { name: 'wiki' })).not.toHaveProperty('login')
})
