/** Real servers from npm, each once direct and once through the gateway: an agent cannot tell the difference. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { patience } from '../http/own-hub.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { type GatewayHub, overStdio, startGatewayHub } from './gateway-hub.ts'
import type { Answer, Message, Params, RawClient } from './raw-client.ts'
import { connectEndpoint, connectProgram, type Program } from './raw-wires.ts'

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

/** The same server twice, since what one client does to it the other must not see. */
interface Pair extends AsyncDisposable {
  readonly label: string
  readonly direct: RawClient
  readonly through: RawClient
}

async function connectPair(label: string, program: (side: string) => Program): Promise<Pair> {
  await using stack = new AsyncDisposableStack()
  const agent = await hub.agentOf(`agent-of-${label}`, { [label]: overStdio(program('through')) })
  const through = stack.use(await connectEndpoint(agent))
  const direct = stack.use(await connectProgram(program('direct')))
  const opened = stack.move()
  const pair = { label, direct, through, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  await expect.poll(() => listedThrough(pair), patience).toEqual(await listedDirect(pair))
  return pair
}

function packageProgram(name: string, ...args: readonly string[]): Program {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)
  return { cmd: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args] }
}

type Listed = Readonly<Record<string, unknown>> & { readonly name: string }

async function toolsOf(client: RawClient): Promise<readonly Listed[]> {
  return (await client.request('tools/list')).result?.['tools'] as readonly Listed[]
}

/** Some servers add tools when they have heard what their client can do. */
async function listedDirect({ direct }: Pair): Promise<readonly Listed[]> {
  await direct.request('ping')
  return toolsOf(direct)
}

/** What the agent sees of the connector, under the names the server gave. */
async function listedThrough({ label, through }: Pair): Promise<readonly Listed[]> {
  const tools = await toolsOf(through)
  return tools.filter(({ name }) => name.startsWith(`${label}_`)).map((tool) => withoutOurName(label, tool))
}

function withoutOurName(label: string, { name, _meta, ...tool }: Listed): Listed {
  const { 'io.signalbox/original': original, ...meta } = _meta as Record<string, unknown>
  const { mount, tool: originalName } = original as { mount: string; tool: string }
  expect({ mount, name }).toEqual({ mount: label, name: exposed(label, originalName) })
  return { ...tool, name: originalName, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
}

function exposed(label: string, tool: string): string {
  return `${label}_${tool.replaceAll('-', '_')}`
}

interface Outcome {
  readonly direct: Answer
  readonly through: Answer
}

async function callBoth({ label, direct, through }: Pair, tool: string, args: Params, meta?: Params): Promise<Outcome> {
  const rest = { arguments: args, ...(meta && { _meta: meta }) }
  return {
    direct: contentOf(await direct.request('tools/call', { name: tool, ...rest })),
    through: contentOf(await through.request('tools/call', { name: exposed(label, tool), ...rest })),
  }
}

async function askBoth({ direct, through }: Pair, method: string, params: Params): Promise<Outcome> {
  return {
    direct: contentOf(await direct.request(method, params)),
    through: contentOf(await through.request(method, params)),
  }
}

function contentOf({ result, error }: Answer): Answer {
  return { ...(result && { result }), ...(error && { error }) }
}

function notices({ notifications }: RawClient, method: string): readonly Message[] {
  return notifications.filter((message) => message['method'] === method)
}

describe('server-everything', () => {
  let pair: Pair
  beforeAll(
    async () => void (pair = await connectPair('everything', () => packageProgram('server-everything', 'stdio'))),
  )
  afterAll(() => pair[Symbol.asyncDispose]())

  test('every tool is listed, with all that the server says of it', async () => {
    const tools = await listedThrough(pair)
    expect(tools.length).toBeGreaterThanOrEqual(17)
    expect(tools).toEqual(await listedDirect(pair))
  })

  const harmless: readonly (readonly [tool: string, args: Params])[] = [
    ['echo', { message: 'hello' }],
    ['get-annotated-message', { messageType: 'error', includeImage: true }],
    ['get-resource-links', { count: 4 }],
    ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
    ['get-structured-content', { location: 'Chicago' }],
    ['get-sum', { a: 2, b: 40 }],
    ['get-tiny-image', {}],
    ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' }],
    ['get-roots-list', {}],
    ['trigger-sampling-request', { prompt: 'what now?', maxTokens: 5 }],
    ['trigger-elicitation-request', {}],
  ]
  test.each(harmless)('%s answers as it does direct', async (tool, args) => {
    const { direct, through } = await callBoth(pair, tool, args)
    expect(direct.result?.['isError'] ?? false).toBe(false)
    expect(steady(through)).toEqual(steady(direct))
  })

  test('what the server asks its client reaches the one that called', async () => {
    await callBoth(pair, 'trigger-sampling-request', { prompt: 'what now?' })
    await callBoth(pair, 'trigger-elicitation-request', {})
    expect(new Set(pair.through.asked)).toContain('sampling/createMessage')
    expect(new Set(pair.through.asked)).toContain('elicitation/create')
  })

  test('wrong arguments and unknown tools are answered in its own words', async () => {
    for (const [tool, args] of [
      ['get-sum', { a: 'x' }],
      ['echo', {}],
    ] as const) {
      const { direct, through } = await callBoth(pair, tool, args)
      expect(through).toEqual(direct)
    }
  })

  test('progress arrives complete, and in order', async () => {
    const args = { duration: 0.5, steps: 5 }
    const { direct, through } = await callBoth(pair, 'trigger-long-running-operation', args, { progressToken: 'long' })
    expect(through).toEqual(direct)
    const progress = (client: RawClient) => notices(client, 'notifications/progress').map(({ params }) => params)
    expect(progress(pair.direct)).toHaveLength(5)
    expect(progress(pair.through)).toEqual(progress(pair.direct))
  })

  test('resources, templates and prompts are listed, read and completed as direct', async () => {
    const uri = 'demo://resource/static/document/architecture.md'
    const questions: readonly (readonly [string, Params])[] = [
      ['resources/read', { uri }],
      ['completion/complete', completion('demo://resource/dynamic/text/{resourceId}', 'resourceId', '7')],
    ]
    for (const [method, params] of questions) {
      const { direct, through } = await askBoth(pair, method, params)
      expect(through).toEqual(direct)
    }
    for (const [method, field] of [
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
    ] as const) {
      const { direct, through } = await askBoth(pair, method, {})
      expect(through.result?.[field]).toEqual(expect.arrayContaining(direct.result?.[field] as unknown[]))
    }
    const prompt = { arguments: { city: 'Oslo' } }
    const direct = await pair.direct.request('prompts/get', { name: 'args-prompt', ...prompt })
    const through = await pair.through.request('prompts/get', { name: 'everything_args_prompt', ...prompt })
    expect(through.result).toEqual(direct.result)
  })

  test('updates of a resource reach whoever subscribed to it', async () => {
    const uri = 'demo://resource/dynamic/text/1'
    for (const client of [pair.direct, pair.through]) {
      expect(await client.request('resources/subscribe', { uri })).toMatchObject({ result: {} })
    }
    await callBoth(pair, 'toggle-subscriber-updates', {})
    const updates = (client: RawClient) => notices(client, 'notifications/resources/updated').length
    await expect.poll(() => updates(pair.direct), patience).toBeGreaterThanOrEqual(2)
    await expect.poll(() => updates(pair.through), patience).toBeGreaterThanOrEqual(2)
    for (const client of [pair.direct, pair.through]) await client.request('resources/unsubscribe', { uri })
    await callBoth(pair, 'toggle-subscriber-updates', {})
  })

  test('log lines come once a level is set', async () => {
    for (const client of [pair.direct, pair.through]) await client.request('logging/setLevel', { level: 'debug' })
    await callBoth(pair, 'toggle-simulated-logging', {})
    for (const client of [pair.direct, pair.through]) {
      await expect.poll(() => notices(client, 'notifications/message').length, patience).toBeGreaterThan(0)
    }
    await callBoth(pair, 'toggle-simulated-logging', {})
  })
})

describe('server-filesystem', () => {
  let pair: Pair
  beforeAll(async () => {
    for (const side of ['direct', 'through']) {
      mkdirSync(join(home.path, side))
      writeFileSync(join(home.path, side, 'letter.txt'), 'Dear reader,\nyours\n')
    }
    pair = await connectPair('files', (side) => packageProgram('server-filesystem', join(home.path, side)))
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  test('every tool is listed, with all that the server says of it', async () => {
    expect(await listedThrough(pair)).toHaveLength(14)
  })

  test('files are written, edited, moved, found and read as direct', async () => {
    const steps: readonly (readonly [string, (file: (name: string) => string) => Params])[] = [
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
      const { direct } = await callSide(pair, 'direct', tool, args)
      const { through } = await callSide(pair, 'through', tool, args)
      expect(through, tool).toEqual(direct)
    }
  })

  async function callSide({ label, ...clients }: Pair, side: 'direct' | 'through', tool: string, args: Steps) {
    const name = side === 'through' ? exposed(label, tool) : tool
    const folder = join(home.path, side)
    const answer = await clients[side].request('tools/call', { name, arguments: args((file) => join(folder, file)) })
    return { [side]: JSON.parse(JSON.stringify(contentOf(answer)).replaceAll(folder, '/folder')) as Answer }
  }
  type Steps = (file: (name: string) => string) => Params
})

describe('server-memory', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await connectPair('memory', (side) => ({
      ...packageProgram('server-memory'),
      env: { MEMORY_FILE_PATH: join(home.path, `${side}.jsonl`) },
    }))
  })
  afterAll(() => pair[Symbol.asyncDispose]())

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
      await expect.poll(() => notices(client, 'notifications/resources/updated'), patience).not.toEqual([])
    }
    const { direct, through } = await askBoth(pair, 'resources/read', { uri })
    expect(through).toEqual(direct)
  })
})

function completion(uri: string, name: string, value: string): Params {
  return { ref: { type: 'ref/resource', uri }, argument: { name, value } }
}

/** A few results tell the time. */
function steady(answer: Answer): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, 'now'))
}
