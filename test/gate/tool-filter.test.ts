/** The tool filter of a connector: a filtered tool is neither listed nor callable, under any name. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern } from '../http/modern-request.ts'
import type { Target } from '../http/exchange.ts'
import type { ScriptedUpstream, ScriptedWorld } from '../worlds/scripted-world.ts'
import { startScriptedWorld } from '../worlds/scripted-world.ts'
import { patience } from '../worlds/own-hub.ts'

const names = ['look', 'write', 'Delete-All']
const lists = { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }

let world: ScriptedWorld
let upstream: ScriptedUpstream
let agent: Target
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  upstream = await world.upstream('files', {
    lists,
    options: { enabled_tools: ['look', 'Delete-All'], disabled_tools: ['Delete-*'] },
  })
  await world.bind('agent', 'files')
})
afterAll(() => world[Symbol.asyncDispose]())

async function ask(
  method: string,
  params: object,
  query = '',
): Promise<{ result?: Record<string, unknown>; error?: unknown }> {
  return (await modern(agent, method, params, { query })).body as { result?: Record<string, unknown>; error?: unknown }
}

async function listed(query = ''): Promise<readonly string[]> {
  const { result } = await ask('tools/list', {}, query)
  const all = ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
  return all.filter((name) => name.startsWith('files_'))
}

test('only the tools that pass the filter are listed', async () => {
  await expect.poll(() => listed(), patience).toEqual(['files_look'])
  const { contents } = (await ask('resources/read', { uri: 'resource://mounts/files' })).result as {
    contents: { text: string }[]
  }
  expect(JSON.parse(contents[0]!.text)).toEqual({ state: 'running', tools: ['files_look'] })
})

test.each(['files_write', 'files_delete_all', 'files_Delete-All', 'write', 'Delete-All'])(
  'a call of %s does not reach the upstream',
  async (name) => {
    expect(await ask('tools/call', { name, arguments: {} })).toMatchObject({ error: { code: -32602 } })
    expect(upstream.received('tools/call')).toEqual([])
  },
)

test('the search for tools neither finds nor calls a filtered tool', async () => {
  const query = '?toolsets=search'
  const found = await ask('tools/call', { name: 'search_tools', arguments: { query: 'files write delete' } }, query)
  expect(JSON.stringify(found)).not.toMatch(/files_write|files_delete_all/)
  const called = await ask(
    'tools/call',
    { name: 'call_tool', arguments: { name: 'files_write', arguments: {} } },
    query,
  )
  expect(JSON.stringify(called)).toMatch(/nknown tool|no tool/i)
  expect(upstream.received('tools/call')).toEqual([])
})

test('a binding can have another filter, and a changed filter applies at once', async () => {
  await world.call('bind_connector', {
    session: 'agent',
    connector: 'files',
    overrides: { options: { enabled_tools: ['write'] } },
  })
  await expect.poll(() => listed(), patience).toEqual(['files_write'])
  expect(await ask('tools/call', { name: 'files_look', arguments: {} })).toMatchObject({ error: { code: -32602 } })
  await world.call('bind_connector', {
    session: 'agent',
    connector: 'files',
    overrides: { options: { enabled_tools: [] } },
  })
  await expect.poll(() => listed(), patience).toEqual([])
})

test('a test of the connector reports the tools that agents see', async () => {
  expect(await world.call('test_connector', { name: 'files' })).toMatchObject({ tools: { count: 1, names: ['look'] } })
})
