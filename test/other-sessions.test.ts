/**
 * What an agent sees of other sessions. Each thing that the hub offers an agent has a row in docs/security.md and a use in
 * this file, in which a confined agent tries to see a session that is not confined.
 */
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from './fixtures/git-repository.ts'
import { compileCache } from './harness/compile-cache.ts'
import type { Endpoint } from './harness/modern-call.ts'
import { requiresAll } from './harness/requires.ts'
import { exchange } from './http/exchange.ts'
import { modern, modernStream } from './http/modern-request.ts'
import { type PeersWorld, startPeersWorld } from './worlds/peers-world.ts'

/** Everything of the other session that only people may see has this word in it. */
const mark = 'Zanzibar'

const confined = requiresAll('bwrap', 'socat').describe
let world: PeersWorld
let boxed: Endpoint
let open: { readonly id: string; readonly workspace: string }

/** A person's own template for answers about repositories, which runs a program that speaks the protocol of Codex. */
const answering = {
  name: 'repository-answer',
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/codex-app-server.ts', import.meta.url)), 'app-server', '{agent_args}'],
  agent: 'codex',
  driver: 'codex',
  mode: 'structured',
  conversation: { resume: [], listed_by: 'codex' },
  env: compileCache,
}

async function start(): Promise<void> {
  world = await startPeersWorld({
    SIGNALBOX_REPOSITORY_MCP_PORT: '0',
    SIGNALBOX_MODEL: 'none',
    SIGNALBOX_MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
  })
  const sandbox = { write: [world.path('notes')], network: 'none' }
  for (const name of ['open', 'boxed']) mkdirSync(world.path(name))
  for (const name of ['open', 'boxed']) {
    const folder = world.path(name)
    git(folder, 'init', '--quiet')
    writeFileSync(join(folder, 'notes.txt'), name === 'open' ? mark : 'mine')
  }
  writeFileSync(join(world.home, 'templates/repository-answer.json'), JSON.stringify(answering))
  const upstream = fileURLToPath(new URL('worlds/counting-upstream.ts', import.meta.url))
  const options = { env: compileCache }
  const cmd = { transport: 'stdio', cmd: process.execPath, args: [upstream, world.path('deeds')], options }
  await world.call('save_connector', { name: 'counting', ...cmd })
  await world.agent('open', {
    working_dir: world.path('open'),
    description: mark,
    labels: [mark],
    policy: `# ${mark}\nrules:\n  - allow: hub_*\n    reason: ${mark}`,
    connectors: [{ connector: 'counting', label: 'theirs' }],
  })
  await world.prompt('open', [`SAY ${mark}`])
  await world.call('post_chat', { session: 'open', content: mark })
  await world.call('create_session', {
    name: 'boxed',
    template: 'shell',
    working_dir: world.path('boxed'),
    sandbox,
    tools: ['all'],
    connectors: [{ connector: 'counting', label: 'up' }],
  })
  await world.agent('boxed-too', { sandbox })
  await world.prompt('boxed-too', ['SAY of boxed-too'])
  await world.call('create_session', { name: 'looping', template: 'assistant' })
  boxed = await world.endpointOf('boxed')
  const { id, workspace_path: workspace } = await world.call('get_session', { name: 'open' })
  open = { id: String(id), workspace: String(workspace) }
}

/**
 * How a confined agent uses each thing to see the session `open`. A tool that takes no other session has its plain
 * arguments. Terminal tools belong to the agent's own terminal.
 */
const tools: Readonly<Record<string, readonly object[]>> = {
  hub_status: [{}],
  search_tools: [{ query: 'open' }],
  call_tool: [{ name: 'sessions_ask', arguments: { session: 'open', text: 'SAY here' } }],
  sessions_list: [{}],
  sessions_ask: asks(),
  sessions_code_advice: asks(),
  sessions_search_web: asks(),
  sessions_tests_generate: asks(),
  sessions_refactor_apply: asks(),
  open_code_advice: [{ text: 'SAY here' }],
  sessions_report_activity: [{ is: 'idle' }],
  resources_list: [{}, { server: 'theirs' }],
  resources_read: [{ uri: 'count://thing', server: 'theirs' }, ...uses((uri) => ({ uri }))],
  resources_subscribe: [{ uri: 'count://thing', server: 'theirs' }, ...uses((uri) => ({ uri }))],
  resources_unsubscribe: uses((uri) => ({ uri })),
  chat_post: [{ content: 'hello' }],
  chat_read_pending_messages: [{}, { since: 0 }],
  policy_read: [{}],
  policy_check: [{ tool: 'sessions_read', arguments: { session: 'open' } }],
  policy_propose: [{ rules: '- allow: theirs_*', why: 'to see' }],
  policy_withdraw: [{ id: 'p1' }],
  loop_yield_turn: [{}],
  repositories_list: [{}],
  repositories_search: [{ query: mark }, { query: mark, repository: 'open' }],
  repositories_read: [{ path: 'notes.txt', repository: 'open' }, { path: '../open/notes.txt' }],
  repositories_ask: [{ question: mark, repository: 'open' }],
  ListRepositories: [{}],
  QueryRepository: [{ repository: 'open', question: mark }],
}
const ownTerminal = /^terminal_/
/** Of its own connector. */
const ownConnector = /^(up_|count:)/

function asks(): readonly object[] {
  return ['open', 'OPEN_ID'].map((session) => ({ session, text: `SAY ${mark}` }))
}

/** Every address of `open` that people have, and those of agents. */
function uses<Use>(use: (uri: string) => Use): readonly Use[] {
  const parts = ['', '/thread', '/files/notes.txt', '/chat', '/screen', '/log', '/mcp', '/approvals', '/bindings']
  return ['open', 'OPEN_ID'].flatMap((session) => parts.map((part) => use(`resource://sessions/${session}${part}`)))
}

const resources = ['resource://hub/status', 'resource://chat', 'resource://subscriptions', 'count://thing']
const resourceTemplates: Readonly<Record<string, readonly string[]>> = {
  'resource://mounts/{mount}': ['resource://mounts/theirs', 'resource://mounts/sessions'],
  'resource://sessions/{id}/thread': uses((uri) => uri).filter((uri) => uri.endsWith('thread')),
  'resource://sessions/{id}/files/{+path}': [
    ...uses((uri) => uri).filter((uri) => uri.endsWith('notes.txt')),
    'resource://sessions/open/files/.git/config',
  ],
}
const prompts = ['up_hello']
/** Paths of people, and of other sessions. An agent gets nothing there. */
const otherPaths = ['/', '/metrics', '/healthz', '/readyz', '/terminal/open', '/sessions/open', '/hooks/none']

/** All entries of a list that the hub offers, in every toolset. */
async function offered(method: string, key: string, endpoint = boxed): Promise<readonly string[]> {
  const target = { port: Number(new URL(endpoint.url).port), token: endpoint.token }
  const { body } = await modern(target, method, {}, { query: '?toolsets=all,search' })
  const entries = (body as { result: Record<string, readonly Readonly<Record<string, string>>[]> }).result[key] ?? []
  return entries.map(({ uri, uriTemplate, name }) => uri ?? uriTemplate ?? String(name))
}

async function allOffered(): Promise<Readonly<Record<'tools' | 'resources' | 'templates' | 'prompts', Set<string>>>> {
  const { repository_url: url } = await world.call('hub_status')
  const endpoints = [boxed, await world.endpointOf('looping'), { ...boxed, url: String(url) }]
  const all = async (method: string, key: string) =>
    new Set((await Promise.all(endpoints.map((endpoint) => offered(method, key, endpoint)))).flat())
  return {
    tools: await all('tools/list', 'tools'),
    resources: await all('resources/list', 'resources'),
    templates: await all('resources/templates/list', 'resourceTemplates'),
    prompts: await all('prompts/list', 'prompts'),
  }
}

async function answerTo(method: string, params: object, endpoint = boxed): Promise<string> {
  const { port } = new URL(endpoint.url)
  const text = JSON.stringify(params).replaceAll('OPEN_ID', open.id)
  const { text: answer } = await modern(
    { port: Number(port), token: endpoint.token },
    method,
    JSON.parse(text) as object,
  )
  return answer
}

/** The rows of the table in docs/security.md: what is offered, as patterns. */
function rowsOfDocument(): readonly RegExp[] {
  const document = readFileSync(new URL('../docs/security.md', import.meta.url), 'utf8')
  const section = document.split('## What an agent sees of other sessions')[1]?.split('\n## ')[0] ?? ''
  const cells = section.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []))
  return cells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, name = '']) => new RegExp(`^${RegExp.escape(name).replaceAll('\\*', '.*')}$`))
}

confined('a confined agent', () => {
  beforeAll(start)
  afterAll(() => world[Symbol.asyncDispose]())

  test('everything that the hub offers an agent has a row in the documentation and a use in this test', async () => {
    const found = await allOffered()
    const rows = rowsOfDocument()
    const named = Object.values(found).flatMap((names) => [...names])
    expect(named.filter((name) => !ownConnector.test(name) && !rows.some((row) => row.test(name)))).toEqual([])
    const foreseen = (name: string) => name in tools || ownTerminal.test(name) || ownConnector.test(name)
    expect([...found.tools].filter((name) => !foreseen(name))).toEqual([])
    expect(Object.keys(tools).filter((name) => !found.tools.has(name))).toEqual([
      'open_code_advice',
      'sessions_report_activity',
    ])
    expect([...found.resources].toSorted()).toEqual(resources.toSorted())
    expect([...found.templates].toSorted()).toEqual(Object.keys(resourceTemplates).toSorted())
    expect([...found.prompts].toSorted()).toEqual(prompts.toSorted())
  })

  test('no tool, resource, prompt, completion or path shows it the session', async () => {
    const { repository_url: url } = await world.call('hub_status')
    const seen: string[] = []
    const use = async (method: string, params: object, endpoint = boxed) => {
      // What the agent itself sends may come back.
      const answer = (await answerTo(method, params, endpoint)).replaceAll(JSON.stringify(params), '')
      if (answer.includes(mark) && !JSON.stringify(params).includes(mark))
        seen.push(`${JSON.stringify(params)} → ${answer}`)
    }
    for (const [name, calls] of Object.entries(tools)) {
      const endpoint = /^(List|Query)/.test(name) ? { ...boxed, url: String(url) } : boxed
      for (const args of calls) await use('tools/call', { name, arguments: args }, endpoint)
    }
    for (const uri of [...resources, ...Object.values(resourceTemplates).flat(), ...uses((each) => each)])
      await use('resources/read', { uri })
    for (const name of prompts) await use('prompts/get', { name })
    for (const uri of Object.keys(resourceTemplates))
      for (const argument of ['id', 'path', 'mount'])
        await use('completion/complete', {
          ref: { type: 'ref/resource', uri },
          argument: { name: argument, value: '' },
        })
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'ping'])
      await use(method, {})
    const { port } = new URL(boxed.url)
    for (const path of otherPaths) {
      for (const method of ['GET', 'POST']) {
        const { text } = await exchange({ port: Number(port), token: boxed.token }, { method, path })
        if (text.includes(mark)) seen.push(path)
      }
    }
    expect(seen).toEqual([])
    // No prompt of the agent has reached it.
    expect((await world.thread('open')).messages).toHaveLength(2)
  })

  test('it reads neither the thread nor a file of a session that is not confined', async () => {
    const read = async (uri: string) => world.raw(boxed, 'resources/read', { uri })
    for (const session of ['open', open.id]) {
      for (const part of ['thread', 'files/notes.txt', 'files/missing.txt']) {
        await expect(read(`resource://sessions/${session}/${part}`)).rejects.toThrow('is confined and "open" is not')
      }
    }
    expect(JSON.stringify(await read('resource://sessions/boxed-too/thread'))).toContain('of boxed-too')
    expect(JSON.stringify(await read('resource://sessions/boxed/files/notes.txt'))).toContain('mine')
  })

  test('it is told of no change in a session that is not confined', async () => {
    const { port } = new URL(boxed.url)
    const target = { port: Number(port), token: boxed.token }
    const own = 'resource://sessions/boxed-too/thread'
    const resourceSubscriptions = [own, ...uses((uri) => uri.replace('OPEN_ID', open.id))]
    using stream = await modernStream(target, 'subscriptions/listen', { notifications: { resourceSubscriptions } })
    expect(await stream.message()).toMatchObject({ params: { notifications: { resourceSubscriptions: [own] } } })
    for (const session of ['open', 'boxed-too']) await world.prompt(session, ['SAY more'])
    await expect.poll(() => JSON.stringify(stream.messages)).toContain(own)
    expect(JSON.stringify(stream.messages)).not.toContain('sessions/open')
  })

  test('its list has the sessions that it may reach', async () => {
    const listed = async (session: string) => {
      const { structuredContent } = await world.raw(await world.endpointOf(session), 'tools/call', {
        name: 'sessions_list',
        arguments: {},
      })
      const { sessions } = structuredContent as { readonly sessions: readonly { readonly name: string }[] }
      return sessions.map(({ name }) => name).toSorted()
    }
    expect(await listed('boxed')).toEqual(['boxed', 'boxed-too'])
    expect(await listed('open')).toEqual(['boxed', 'boxed-too', 'looping', 'open'])
  })

  test('no agent sees the session that answers a person about a repository', async () => {
    await world.call('add_repository', { path: world.path('open'), name: 'theirs' })
    const { repository_url: url } = await world.call('hub_status')
    const ask = async () => {
      const name = 'QueryRepository'
      const args = { repository: 'theirs', question: `say ${mark}` }
      return JSON.stringify(
        await world.raw({ ...world.person, url: String(url) }, 'tools/call', { name, arguments: args }),
      )
    }
    await expect.poll(ask).toContain('conversationId')
    const { sessions } = await world.call('list_sessions')
    const answerer = (sessions as readonly { name: string; template: string }[]).find(
      ({ template }) => template === 'repository-answer',
    )?.name
    for (const name of ['boxed', 'open']) {
      const agent = await world.endpointOf(name)
      expect(await answerTo('tools/call', { name: 'sessions_list', arguments: {} }, agent)).not.toContain(answerer)
      for (const part of ['thread', 'files/notes.txt'])
        expect(
          await answerTo('resources/read', { uri: `resource://sessions/${answerer}/${part}` }, agent),
        ).not.toContain(mark)
      const asked = { name: 'sessions_ask', arguments: { session: answerer, text: 'say here' } }
      expect(await answerTo('tools/call', asked, agent)).toContain('answers questions about a repository, and no other')
    }
  })

  test('a workspace that a link has replaced is not read', async () => {
    const read = async (path: string) => world.raw(boxed, 'resources/read', { uri: `resource://sessions/${path}` })
    renameSync(world.path('boxed'), world.path('moved'))
    symlinkSync(world.path('open'), world.path('boxed'))
    await expect(read('boxed/files/notes.txt')).rejects.toThrow('no longer')
    for (const [name, args] of Object.entries({
      repositories_search: { query: mark },
      repositories_read: { path: 'notes.txt' },
    })) {
      const found = JSON.stringify(await world.raw(boxed, 'tools/call', { name, arguments: args }))
      expect(found, name).toContain('no longer')
      expect(found, name).not.toContain('notes.txt')
    }
  })
})
