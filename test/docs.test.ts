/** Checks the documentation: its links are valid, its messages exist, its guides and examples work. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type DocumentedNginx, startDocumentedNginx } from './documents/documented-nginx.ts'
import { isBroken, linksOf, pages, readPage, readProse } from './documents/pages.ts'
import { createReader, root } from './documents/newcomer.ts'
import { readBlocks, readSteps } from './documents/page-steps.ts'
import { runSteps } from './documents/run-steps.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { type HubProcess, type HubProcessOptions, startHubProcess } from './worlds/hub-process.ts'
import { compileCache } from './harness/compile-cache.ts'
import { callTool } from './harness/modern-call.ts'
import { requires } from './harness/requires.ts'
import { createTempHome } from './harness/temp-home.ts'
import { exchange } from './http/exchange.ts'
import { modernStream } from './http/modern-request.ts'

test('every link has a target', () => {
  const links = pages.flatMap(linksOf)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(isBroken)).toEqual([])
})

test('a link without a target is found', () => {
  expect(isBroken({ page: 'docs/security.md', target: 'nowhere.md' })).toBe(true)
  expect(isBroken({ page: 'docs/security.md', target: 'architecture.md#nowhere' })).toBe(true)
  expect(isBroken({ page: 'docs/security.md', target: 'architecture.md#the-life-of-a-call' })).toBe(false)
})

test('every file that a page names exists', () => {
  const named = pages.flatMap((page) => namedFiles(page).map((file) => ({ page, file })))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ file }) => !['', 'src'].some((place) => existsSync(join(root, place, file))))).toEqual([])
})

test('every message that troubleshooting quotes is in the code', () => {
  const code = globSync(['src/**/*.{ts,js}', 'scripts/*.{ts,mjs}'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const quoted = [...readPage('docs/troubleshooting.md').matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message)
  expect(quoted.length).toBeGreaterThan(10)
  const invented = quoted.filter((message) => !message.split('…').every((part) => code.includes(part.trim())))
  expect(invented).toEqual([])
})

test('a test runs every page that has commands', () => {
  const tests = globSync(['test/*.{test,check}.ts', 'test/agents/*.agents.ts'], { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const withCommands = pages.filter((page) => readSteps(readPage(page)).length > 0)
  expect(withCommands.length).toBeGreaterThan(10)
  expect(withCommands.filter((page) => !tests.some((source) => isFollowedBy(source, page)))).toEqual([])
})

test('a reader who follows the guide to sessions can start, watch, steer and replay them', async () => {
  await using reader = await createReader()
  await runSteps(readSteps(readPage('docs/guides/sessions.md')), reader)
}, 240_000)

test('the commands of the pages about the command line, security and troubleshooting work', async () => {
  await using reader = await createReader()
  const steps = [
    ...readSteps(readPage('docs/cli.md')),
    ...readSteps(readPage('docs/security.md')),
    // Troubleshooting is for people with sessions.
    { is: 'run', command: 'signalbox new build -- cat' } as const,
    ...readSteps(readPage('docs/troubleshooting.md')),
  ]
  await runSteps(steps, reader)
}, 240_000)

test('the example client finds a hub, lists its tools, sees a resource change, and ends with the hub', async () => {
  const home = temporaryDirectory()
  const hub = await startHub({ home })
  const uri = 'resource://events/0'
  const byHome = startExample('client.ts', [uri], { SIGNALBOX_HOME: home })
  const byUrl = startExample('client.ts', [], { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: hub.token })
  await vi.waitFor(() => expect(byHome.out()).toContain(`watching ${uri}`), patience)
  await vi.waitFor(() => expect(byUrl.out()).toContain('watching resource://hub/status'), patience)
  expect(byUrl.out()).toContain('connected, revision 2026-07-28')
  expect(byUrl.out()).toContain('tools: hub_status, issue_token, list_tokens, revoke_token, create_login, query_events')

  await callTool(hub, 'issue_token', { role: 'human', label: 'seen by the client' })
  await vi.waitFor(() => expect(byHome.out()).toContain('seen by the client'), patience)
  await vi.waitFor(() => expect(byUrl.out().split('resource://hub/status: {')).toHaveLength(3), patience)

  await hub.end('SIGTERM')
  for (const client of [byHome, byUrl]) {
    await vi.waitFor(() => expect(client.out()).toContain('the hub ended the stream: graceful'), patience)
    await vi.waitFor(() => expect(client.exitCode()).toBe(0), patience)
  }
})

test('the example hub has its own tool besides the shipped ones', async () => {
  const hub = await startHub({ program: [join(root, 'examples/hub-with-a-tool.ts')] })
  const { rolled } = await callTool(hub, 'roll_dice', { sides: 2 })
  expect([1, 2]).toContain(rolled)
  expect(await callTool(hub, 'hub_status')).toHaveProperty('version')
  expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

const nginx = requires('nginx')
const proxyPage = 'docs/guides/from-elsewhere.md'

nginx.describe('the nginx configuration of the page about access from elsewhere', () => {
  let opened: AsyncDisposableStack
  let hub: HubProcess
  let proxy: DocumentedNginx
  beforeAll(async () => {
    await using stack = new AsyncDisposableStack()
    const { path: home } = stack.use(await createTempHome())
    const [setting = ''] = readBlocks(readPage(proxyPage), 'yaml')
    writeFileSync(join(home, 'config.yaml'), setting)
    hub = stack.use(await startHubProcess({ home }))
    proxy = stack.use(await startNginx(hub))
    opened = stack.move()
  })
  afterAll(() => opened.disposeAsync())

  test('passes on clients of every revision, and with a slash at the end', async () => {
    const url = `http://127.0.0.1:${proxy.port}/mcp`
    const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_TOKEN: hub.token }
    const { code, out, err } = await runInProcess(['probe', url], { env })
    expect(code, err).toBe(0)
    expect(out.match(/ok +\d+ +ok/g)).toHaveLength(5)
    expect(await callTool({ url: `${url}/`, token: hub.token }, 'hub_status')).toHaveProperty('version')
  })

  test('passes on notices without delay', async () => {
    const uri = 'resource://events/0'
    const filter = { notifications: { resourceSubscriptions: [uri] } }
    using stream = await modernStream({ port: proxy.port, token: hub.token }, 'subscriptions/listen', filter)
    expect(await stream.message()).toMatchObject({ params: filter })
    await callTool(hub, 'issue_token', { role: 'human' })
    expect(await stream.message()).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  })

  test('needs exactly the setting that the page shows below it', async () => {
    await using withoutIt = await startNginx(await startHub())
    expect(await statusFor('hub.example.org', withoutIt.port)).toBe(403)
    expect(await statusFor('hub.example.org', proxy.port)).toBe(200)
    expect(await statusFor('evil.example.org', proxy.port)).toBe(403)
  })

  test('passes on a login with the link that the hub prints', async () => {
    const link = new URL(String((await callTool(hub, 'create_login'))['login_url']))
    expect(link.origin).toBe('https://hub.example.org')
    const headers = { host: link.host, origin: link.origin }
    const body = { code: link.hash.slice('#code='.length) }
    const logIn = () => exchange({ port: proxy.port, token: '' }, { path: '/login', token: null, headers, body })
    expect((await logIn()).body).toMatchObject({ token: expect.stringMatching(/^sb_human_/) })
    expect((await logIn()).status).toBe(401)
  })
})

async function startNginx(hub: HubProcess): Promise<DocumentedNginx> {
  const [server = ''] = readBlocks(readPage(proxyPage), 'nginx')
  return startDocumentedNginx({ program: nginx.path, server, hubPort: hub.port })
}

/** The hub's status for a request to this host through nginx. */
async function statusFor(host: string, port: number): Promise<number | undefined> {
  const request = get({ port, host: '127.0.0.1', path: '/readyz', headers: { host } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** Whether the test runs the page, in one of the two ways that tests use. */
function isFollowedBy(test: string, page: string): boolean {
  if (test.includes(`readSteps(readPage('${page}'))`)) return true
  return test.includes(`const page = readPage('${page}')`) && test.includes('readSteps(page)')
}

/** The files that prose names as `folder/file.ts`, relative to the root or to src. */
function namedFiles(page: string): readonly string[] {
  return [...readProse(page).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|md))`/g)].map(([, file = '']) => file)
}

const patience = { timeout: 60_000, interval: 50 }

async function startHub(options: Partial<HubProcessOptions> = {}): Promise<HubProcess> {
  const hub = await startHubProcess({ home: temporaryDirectory(), ...options })
  onTestFinished(() => hub[Symbol.asyncDispose]())
  return hub
}

function startExample(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(root, 'examples', file), ...args], {
    env: { PATH: process.env['PATH'], ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  return { out: () => printed, exitCode: () => child.exitCode }
}
