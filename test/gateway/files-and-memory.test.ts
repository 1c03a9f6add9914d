/** server-filesystem and server-memory from npm, once direct and once through the gateway. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { patience } from '../worlds/own-hub.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { until } from '../fixtures/until.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { type GatewayHub, overStdio, startGatewayHub } from '../worlds/gateway-hub.ts'
import type { Answer, Params } from './raw-client.ts'
import { connectEndpoint } from './raw-wires.ts'
import {
  askBoth,
  callBoth,
  connectPair,
  exposed,
  listedThrough,
  noticesOf,
  outcomeOf,
  packageProgram,
  type Pair,
  toolsOf,
} from './side-by-side.ts'

/** Arguments that name files of one side. */
type ArgsOf = (file: (name: string) => string) => Params

let home: TempHome
let hub: GatewayHub
beforeAll(async () => {
  home = await createTempHome()
  hub = await startGatewayHub()
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('server-filesystem', () => {
  let pair: Pair
  beforeAll(async () => {
    for (const side of ['direct', 'through']) {
      mkdirSync(join(home.path, side))
      writeFileSync(join(home.path, side, 'letter.txt'), 'Dear reader,\nyours\n')
    }
    pair = await connectPair(hub, 'files', (side) => packageProgram('server-filesystem', join(home.path, side)))
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  test('lists every tool with all that the server says about it', async () => {
    const tools = await listedThrough(pair)
    expect(tools).toHaveLength(14)
    expect(tools).toEqual(await toolsOf(pair.direct))
  })

  test('writes, edits, moves, finds and reads files as it does direct', async () => {
    const steps: readonly (readonly [string, ArgsOf])[] = [
      ['list_allowed_directories', () => ({})],
      ['read_text_file', (file) => ({ path: file('letter.txt'), head: 1 })],
      ['read_multiple_files', (file) => ({ paths: [file('letter.txt'), file('missing.txt')] })],
      ['create_directory', (file) => ({ path: file('drafts') })],
      ['write_file', (file) => ({ path: file('drafts/new.txt'), content: 'täglich 📮\n' })],
      ['edit_file', (file) => ({ path: file('drafts/new.txt'), edits: [{ oldText: '📮', newText: 'Post' }] })],
      ['move_file', (file) => ({ source: file('drafts/new.txt'), destination: file('new.txt') })],
      ['list_directory', (file) => ({ path: file('.') })],
      ['directory_tree', (file) => ({ path: file('.') })],
      ['search_files', (file) => ({ path: file('.'), pattern: '*.txt' })],
      ['read_media_file', (file) => ({ path: file('letter.txt') })],
      ['read_file', () => ({ path: '/etc/passwd' })],
    ]
    for (const [tool, args] of steps) {
      const [direct, through] = [await callOn('direct', tool, args), await callOn('through', tool, args)]
      expect(through, tool).toEqual(direct)
    }
  })

  /** Each side has its own folder, which its answers name. */
  async function callOn(side: 'direct' | 'through', tool: string, args: ArgsOf): Promise<Answer> {
    const name = side === 'through' ? exposed(pair.label, tool) : tool
    const folder = join(home.path, side)
    const params = { name, arguments: args((file) => join(folder, file)) }
    return JSON.parse(JSON.stringify(await outcomeOf(pair[side], 'tools/call', params)).replaceAll(folder, '/folder'))
  }
})

describe('server-filesystem without directories', () => {
  const allowed = { name: 'rootless_list_allowed_directories', arguments: {} }
  const withoutDirectories = overStdio(packageProgram('server-filesystem'))
  let agent: Endpoint
  let workspace: string
  beforeAll(async () => {
    agent = await hub.agentOf('rootless', { rootless: withoutDirectories })
    workspace = String((await hub.call('get_session', { name: 'rootless' }))['workspace_path'])
  })

  test('works in the workspace of the session', async () => {
    await using client = await connectEndpoint(agent)
    await until(async () => textOf(await client.request('tools/call', allowed)).includes(workspace))
    const path = join(workspace, 'note.txt')
    const write = { name: 'rootless_write_file', arguments: { path, content: 'here' } }
    expect((await client.request('tools/call', write)).result?.['isError']).not.toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('here')
  })

  test('works in the roots of its client too, and is notified when they change', async () => {
    const roots = [{ uri: pathToFileURL(join(home.path, 'direct')).href }]
    const answers: Record<string, object> = { 'roots/list': { roots } }
    await using client = await connectEndpoint(agent, answers)
    const shown = async () => textOf(await client.request('tools/call', allowed))
    await until(async () => (await shown()).includes(join(home.path, 'direct')))
    expect(await shown()).toContain(workspace)

    answers['roots/list'] = { roots: [{ uri: pathToFileURL(join(home.path, 'through')).href }] }
    await client.notify('notifications/roots/list_changed')
    await until(async () => (await shown()).includes(join(home.path, 'through')))
    expect(await shown()).not.toContain(join(home.path, 'direct'))
  })

  test('can be tried out', async () => {
    const outcome = await hub.call('test_connector', { connector: { name: 'tried', ...withoutDirectories } })
    expect(outcome).toMatchObject({ ok: true, tools: { count: 14 } })
  })

  function textOf({ result }: Answer): string {
    return JSON.stringify(result)
  }
})

describe('server-memory', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await connectPair(hub, 'memory', (side) => ({
      ...packageProgram('server-memory'),
      env: { MEMORY_FILE_PATH: join(home.path, `${side}.jsonl`) },
    }))
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  test('lists every tool with all that the server says about it', async () => {
    const tools = await listedThrough(pair)
    expect(tools).toHaveLength(9)
    expect(tools).toEqual(await toolsOf(pair.direct))
  })

  test('finds what was put into the graph, as it does direct, and notifies followers of the graph', async () => {
    const uri = 'memory://knowledge-graph'
    for (const client of [pair.direct, pair.through]) await client.request('resources/subscribe', { uri })
    const entities = ['signal', 'point'].map((name) => ({ name, entityType: 'thing', observations: [`a ${name}`] }))
    const steps: readonly (readonly [string, Params])[] = [
      ['create_entities', { entities }],
      ['create_relations', { relations: [{ from: 'signal', to: 'point', relationType: 'guards' }] }],
      ['add_observations', { observations: [{ entityName: 'signal', contents: ['is red'] }] }],
      ['search_nodes', { query: 'red' }],
      ['open_nodes', { names: ['point'] }],
      ['delete_entities', { entityNames: ['point'] }],
      ['read_graph', {}],
    ]
    for (const [tool, args] of steps) {
      const { direct, through } = await callBoth(pair, tool, args)
      expect(through, tool).toEqual(direct)
    }
    for (const client of [pair.direct, pair.through]) {
      await expect.poll(() => noticesOf(client, 'notifications/resources/updated'), patience).not.toEqual([])
    }
    const { direct, through } = await askBoth(pair, 'resources/read', { uri })
    expect(through).toEqual(direct)
  })
})
