/** server-filesystem and server-memory of npm, once direct and once through the gateway. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { patience } from '../http/own-hub.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { type GatewayHub, startGatewayHub } from './gateway-hub.ts'
import type { Answer, Params } from './raw-client.ts'
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

  test('every tool is listed, with all that the server says of it', async () => {
    const tools = await listedThrough(pair)
    expect(tools).toHaveLength(14)
    expect(tools).toEqual(await toolsOf(pair.direct))
  })

  test('files are written, edited, moved, found and read as direct', async () => {
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

  /** Each side has a folder of its own, which its answers name. */
  async function callOn(side: 'direct' | 'through', tool: string, args: ArgsOf): Promise<Answer> {
    const name = side === 'through' ? exposed(pair.label, tool) : tool
    const folder = join(home.path, side)
    const params = { name, arguments: args((file) => join(folder, file)) }
    return JSON.parse(JSON.stringify(await outcomeOf(pair[side], 'tools/call', params)).replaceAll(folder, '/folder'))
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

  test('every tool is listed, with all that the server says of it', async () => {
    const tools = await listedThrough(pair)
    expect(tools).toHaveLength(9)
    expect(tools).toEqual(await toolsOf(pair.direct))
  })

  test('what is put into the graph is found in it, as direct, and whoever watches the graph is told', async () => {
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
