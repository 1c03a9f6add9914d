/** The repository port of a real hub: who may ask what, in which shape the answers come, and what is refused. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from './fixtures/git-repository.ts'
import { compileCache } from './harness/compile-cache.ts'
import { openConnection, requestOn } from './harness/legacy-call.ts'
import type { Endpoint } from './harness/modern-call.ts'
import { callTool, modernRequest } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import { exchange } from './http/exchange.ts'
import { inspectAt } from './interop/inspect.ts'
import { connectV1 } from './interop/sdk-v1-client.ts'
import { connectV2Legacy, connectV2Modern } from './interop/sdk-v2-client.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { patience } from './worlds/own-hub.ts'

const codex = fileURLToPath(new URL('fixtures/codex-app-server.ts', import.meta.url))
/** A person's own template, which runs a program that speaks the protocol of Codex. */
const template = {
  name: 'repository-answer',
  command: process.execPath,
  args: [codex, 'app-server', '{agent_args}'],
  agent: 'codex',
  driver: 'codex',
  mode: 'structured',
  conversation: { resume: [], listed_by: 'codex' },
  env: compileCache,
}

let opened: AsyncDisposableStack
let place: string
let hub: HubProcess
let people: Endpoint

beforeAll(async () => {
  await using stack = new AsyncDisposableStack()
  place = stack.use(await createTempHome()).path
  for (const name of ['one', 'two']) {
    const root = join(place, name)
    mkdirSync(root)
    git(root, 'init', '--quiet', '--initial-branch=main')
    writeFileSync(join(root, 'limits.ts'), `export const mostQuestions = 2\n\nexport const of = '${name}'\n`)
    git(root, 'add', '.')
    git(root, 'commit', '--quiet', '-m', 'first')
  }
  mkdirSync(join(place, 'hub/templates'), { recursive: true, mode: 0o700 })
  useCodex(template)
  hub = await startHubProcess({
    home: join(place, 'hub'),
    env: {
      SIGNALBOX_REPOSITORY_MCP_PORT: '0',
      SIGNALBOX_REPOSITORY_PATH_MAP: `/on-host:${place}`,
      SIGNALBOX_REPOSITORY_MAX_BODY_BYTES: '20000',
    },
  })
  stack.defer(() => hub[Symbol.asyncDispose]())
  for (const name of ['one', 'two']) await callTool(hub, 'add_repository', { path: join(place, name) })
  people = { url: String((await callTool(hub, 'hub_status'))['repository_url']), token: hub.token }
  opened = stack.move()
})
afterAll(() => opened.disposeAsync())

function useCodex(content: object): void {
  writeFileSync(join(place, 'hub/templates/repository-answer.json'), JSON.stringify(content))
}

/** The one text block of the result, as JSON; of a failure, as it is. */
async function call(endpoint: Endpoint, name: string, args: object = {}, signal?: AbortSignal) {
  const params = { name, arguments: args }
  const result = await modernRequest(endpoint, 'tools/call', params, signal ? { signal } : {})
  const { content, isError, structuredContent } = result
  expect(structuredContent).toBeUndefined()
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }])
  const [{ text }] = content as [{ text: string }]
  return isError === true ? { failure: text } : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}

const query = (endpoint: Endpoint, args: object, signal?: AbortSignal) =>
  call(endpoint, 'QueryRepository', { repository: 'one', ...args }, signal)

async function startAgent(name: string, more: object = {}): Promise<Endpoint> {
  await callTool(hub, 'create_session', { name, template: 'shell', working_dir: join(place, 'one'), ...more })
  const { token } = await callTool(hub, 'issue_token', { role: 'agent', session: name })
  return { url: people.url, token: String(token) }
}

test('ListRepositories names the repositories with both of their paths, and says what is indexed', async () => {
  const { repositories } = await call(people, 'ListRepositories')
  expect(repositories).toEqual([
    expect.objectContaining({
      name: 'one',
      hostPath: '/on-host/one',
      containerPath: join(place, 'one'),
      indexed: true,
      status: 'ready',
      counts: { files: 1, chunks: expect.any(Number) },
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    }),
    expect.objectContaining({ name: 'two' }),
  ])
})

test('an answer comes with its repository, its segments in order, and checked citations', async () => {
  const answer = await query(people, { question: 'say the limit (limits.ts:1) is not in (none.ts:1)' })
  expect(answer).toMatchObject({
    conversationId: expect.stringMatching(/^t/),
    modelId: 'gpt-5.1-codex-max',
    repository: { name: 'one', hostPath: '/on-host/one' },
    segments: [
      { type: 'vector_summary', files: [{ path: 'limits.ts', hostPath: '/on-host/one/limits.ts', repo: 'one' }] },
      { type: 'answer', text: 'the limit (limits.ts:1) is not in' },
    ],
    citations: [
      {
        path: 'limits.ts',
        startLine: 1,
        endLine: 1,
        hostPath: '/on-host/one/limits.ts',
        containerPath: join(place, 'one/limits.ts'),
      },
    ],
    checked: { kept: 1, repaired: 0, dropped: 1 },
  })
})

test('a repository is found by its id, its name and either path; the error for another name lists the repositories', async () => {
  const { repositories } = (await call(people, 'ListRepositories')) as { repositories: { id: string }[] }
  const { conversationId } = await query(people, { repository: 'two', question: 'say it' })
  for (const repository of [repositories[1]!.id, 'two', '/on-host/two', join(place, 'two')]) {
    const answer = await query(people, { repository, question: 'say it', conversationId })
    expect(answer).toMatchObject({ repository: { name: 'two' } })
  }
  expect(await query(people, { repository: 'three', question: 'say it' })).toMatchObject({
    failure: expect.stringContaining('There is: "one", "two"'),
  })
})

test('a conversation belongs to those who began it, and to its repository', async () => {
  const { conversationId } = await query(people, { question: 'say one' })
  const again = await query(people, { question: 'say two', conversationId })
  expect(again).toMatchObject({ conversationId })
  const agent = await startAgent('stranger')
  const unknown = { failure: expect.stringContaining('you have no conversation') }
  expect(await query(agent, { question: 'say it', conversationId })).toMatchObject(unknown)
  expect(await query(people, { question: 'say it', repository: 'two', conversationId })).toMatchObject(unknown)
  expect(await query(people, { question: 'say it', conversationId: 'stranger' })).toMatchObject(unknown)
})

test('a token asks two questions at a time; a client that leaves ends its question', async () => {
  const leaving = new AbortController()
  const asked = [1, 2].map((number) =>
    query(people, { question: `stall ${number}` }, leaving.signal).catch(() => 'left'),
  )
  const busy = { failure: expect.stringContaining('SIGNALBOX_REPOSITORY_MAX_QUERIES') }
  await expect.poll(() => answering('working'), patience).toBe(2)
  expect(await query(people, { question: 'say it' })).toMatchObject(busy)
  leaving.abort()
  expect(await Promise.all(asked)).toEqual(['left', 'left'])
  await expect
    .poll(() => query(people, { question: 'say it' }), patience)
    .toMatchObject({ conversationId: expect.any(String) })
  await expect.poll(() => answering('working'), patience).toBe(0)
})

test('a larger body than the port takes is refused, and the error names the setting', async () => {
  const { port } = new URL(people.url)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'x'.repeat(20_000) } })
  const { status, text } = await exchange({ port: Number(port), token: hub.token }, { body })
  expect(status).toBe(413)
  expect(text).toContain('repository_max_body_bytes')
})

test('an unknown token and a foreign Host are refused as on /mcp', async () => {
  const server = { port: Number(new URL(people.url).port), token: hub.token }
  expect((await exchange(server, { token: 'wrong' })).status).toBe(401)
  expect((await exchange(server, { headers: { host: 'evil.example.org' } })).status).toBe(403)
})

describe('an agent', () => {
  test('asks about its own repositories only, and each call is recorded', async () => {
    const agent = await startAgent('own')
    expect(await call(agent, 'ListRepositories')).toMatchObject({ repositories: [{ name: 'one' }] })
    expect(await query(agent, { question: 'say it' })).toMatchObject({ repository: { name: 'one' } })
    expect(await query(agent, { repository: 'two', question: 'say it' })).toMatchObject({
      failure: expect.stringContaining('that you may ask about'),
    })
    const { events } = await callTool(hub, 'query_events', { session: 'own', type: 'tool-called' })
    const calls = (events as { payload: { tool: string; arguments: object } }[]).map(({ payload }) => payload)
    expect(calls).toContainEqual(expect.objectContaining({ tool: 'repositories_list' }))
    expect(calls).toContainEqual(
      expect.objectContaining({ tool: 'repositories_ask', arguments: { repository: 'one', question: 'say it' } }),
    )
  })

  test('passes its gate here too, whichever name of the repository it uses', async () => {
    const when = '{ properties: { repository: { const: one } } }'
    const agent = await startAgent('governed', { policy: `rules: [{ deny: repositories_ask, when: ${when} }]` })
    for (const repository of ['one', '/on-host/one', join(place, 'one')]) {
      await expect(query(agent, { repository, question: 'say it' })).rejects.toThrow(/-32950|-32951/)
    }
    const silent = await startAgent('silent', { policy: 'rules: [{ deny: repositories_ask }]' })
    expect(await modernRequest(silent, 'tools/list')).toMatchObject({ tools: [{ name: 'ListRepositories' }] })
  })
})

test('without Codex both tools are unavailable at once, and the rest of the port answers', async () => {
  useCodex({ ...template, command: '/nowhere/codex' })
  try {
    const unavailable = /-32001: CODEX_UNAVAILABLE/
    await expect(modernRequest(people, 'tools/list')).rejects.toThrow(unavailable)
    await expect(call(people, 'ListRepositories')).rejects.toThrow(unavailable)
    await expect(query(people, { question: 'say it' })).rejects.toThrow(unavailable)
    expect(await modernRequest(people, 'resources/list')).toMatchObject({ resources: [] })
    const connection = await openConnection(people)
    for (const method of ['resources/templates/list', 'resources/listTemplates']) {
      const response = await requestOn(people, connection, method)
      expect(await response.text()).toContain('"resourceTemplates":[]')
    }
  } finally {
    useCodex(template)
  }
  expect(await modernRequest(people, 'tools/list')).toMatchObject({ tools: [{}, {}] })
})

test('Codex that ends while it answers is unavailable too', async () => {
  await expect(query(people, { question: 'crash now' })).rejects.toThrow(/-32001: CODEX_UNAVAILABLE/)
  await expect(query(people, { question: 'fail serverOverloaded' })).rejects.toThrow(/-32001: CODEX_UNAVAILABLE/)
})

describe.each([
  ['SDK 1', connectV1],
  ['SDK 2, legacy', connectV2Legacy],
  ['SDK 2, modern', connectV2Modern],
] as const)('%s', (_, connect) => {
  test('lists the tools at /mcp and at /, and calls them', async () => {
    await using atRoot = await connect({ ...people, url: people.url.replace(/mcp$/, '') })
    await using client = await connect(people)
    for (const each of [atRoot, client]) expect(await each.listTools()).toEqual(['ListRepositories', 'QueryRepository'])
    const messages: string[] = []
    const onProgress = (_step: unknown, message?: string) => void messages.push(message ?? '')
    await client.callTool('QueryRepository', { repository: 'one', question: 'say it is so' }, { onProgress })
    expect(messages.filter(Boolean).every((message) => message === 'it is so')).toBe(true)
  })
})

test.each(['legacy', 'modern'])('the strict Inspector lists the tools, %s era', async (era) => {
  expect(await inspectAt(people, era, ['--method', 'tools/list', '--strict'])).toMatchObject({
    code: 0,
    result: { tools: [{ name: 'ListRepositories' }, { name: 'QueryRepository' }] },
  })
})

test('a connection of this port is not one of /mcp, and survives a restart of the hub', async () => {
  const connection = await openConnection(people)
  const elsewhere = await requestOn({ url: hub.url, token: hub.token }, connection, 'tools/list')
  expect(elsewhere.status).toBe(404)
  const { port } = new URL(people.url)
  await hub.end('SIGKILL')
  hub = await startHubProcess({
    home: join(place, 'hub'),
    env: { SIGNALBOX_PORT: String(hub.port), SIGNALBOX_REPOSITORY_MCP_PORT: port },
  })
  expect(await (await requestOn(people, connection, 'tools/list')).text()).toContain('QueryRepository')
})

async function answering(activity: string): Promise<number> {
  const { sessions } = await callTool(hub, 'list_sessions', { label: 'repository-answer', status: 'running' })
  return (sessions as { activity: { is: string } }[]).filter(({ activity: { is } }) => is === activity).length
}
