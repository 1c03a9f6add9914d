/** The documentation keeps its word: its links lead somewhere, its messages exist, its guides and examples work. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type DocumentedNginx, startDocumentedNginx } from './documents/documented-nginx.ts'
import { isBroken, linksOf, pages, readPage, readProse } from './documents/pages.ts'
import { createNewcomer, root } from './documents/newcomer.ts'
import { readBlocks, readSteps } from './documents/page-steps.ts'
import { runSteps } from './documents/run-steps.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { type HubProcess, type HubProcessOptions, startHubProcess } from './harness/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import { requires } from './harness/requires.ts'

test('every link leads somewhere', () => {
  const links = pages.flatMap(linksOf)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(isBroken)).toEqual([])
})

test('a link that leads nowhere is seen', () => {
  expect(isBroken({ page: 'docs/security.md', target: 'nowhere.md' })).toBe(true)
  expect(isBroken({ page: 'docs/security.md', target: 'architecture.md#nowhere' })).toBe(true)
  expect(isBroken({ page: 'docs/security.md', target: 'architecture.md#the-life-of-a-call' })).toBe(false)
})

test('every file that a page names is there', () => {
  const named = pages.flatMap((page) => namedFiles(page).map((file) => ({ page, file })))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ file }) => !['', 'src'].some((place) => existsSync(join(root, place, file))))).toEqual([])
})

test('every message that troubleshooting quotes is one that we say', () => {
  const said = globSync(['src/**/*.{ts,js}', 'scripts/*'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const quoted = [...readPage('docs/troubleshooting.md').matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message)
  expect(quoted.length).toBeGreaterThan(10)
  const invented = quoted.filter((message) => !message.split('…').every((part) => said.includes(part.trim())))
  expect(invented).toEqual([])
})

test('every page with commands is run by a test', () => {
  const tests = globSync('test/*.test.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const withCommands = pages.filter((page) => readSteps(readPage(page)).length > 0)
  expect(withCommands.length).toBeGreaterThan(10)
  expect(withCommands.filter((page) => !tests.some((source) => isFollowedBy(source, page)))).toEqual([])
})

test('whoever follows the guides has a tool that works, and a resource that can be watched', async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(readPage('docs/guides/add-a-tool.md')), newcomer)
  await runSteps(readSteps(readPage('docs/guides/add-a-resource.md')), newcomer)
}, 240_000)

test('whoever follows the guide to sessions can start, watch, steer and replay them', async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(readPage('docs/guides/sessions.md')), newcomer)
}, 240_000)

test('whoever has just installed it is told by the page about the command line how to begin', async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(readPage('docs/cli.md')), newcomer)
}, 240_000)

test('the commands of the pages about security and troubles work on a hub with sessions', async () => {
  await using newcomer = await createNewcomer()
  await using hub = await startHubProcess({ home: newcomer.home })
  await callTool(hub, 'create_session', { name: 'build', command: 'cat' })
  await runSteps(readSteps(readPage('docs/security.md')), newcomer)
  await runSteps(readSteps(readPage('docs/troubleshooting.md')), newcomer)
}, 240_000)

describe('the example client', () => {
  test('says what a hub offers, sees its status change, and ends with it', async () => {
    const hub = await startHub()
    const client = startExample('client.ts', [], { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: hub.token })
    await vi.waitFor(() => expect(client.out()).toContain('watching resource://hub/status'), patience)
    expect(client.out()).toContain('connected, revision 2026-07-28')
    expect(client.out()).toContain('tools: hub_status, issue_token, list_tokens, revoke_token, query_events')

    await callTool(hub, 'issue_token', { role: 'human' })
    await vi.waitFor(() => expect(client.out().split('resource://hub/status: {')).toHaveLength(3), patience)

    await hub.end('SIGTERM')
    await vi.waitFor(() => expect(client.out()).toContain('the hub ended the stream: graceful'), patience)
    await vi.waitFor(() => expect(client.exitCode()).toBe(0), patience)
  })

  test('finds the hub of a data directory, and watches what it is told to', async () => {
    const home = temporaryDirectory()
    const hub = await startHub({ home })
    const client = startExample('client.ts', ['resource://events/0'], { SIGNALBOX_HOME: home })
    await vi.waitFor(() => expect(client.out()).toContain('watching resource://events/0'), patience)
    await callTool(hub, 'issue_token', { role: 'human', label: 'seen by the client' })
    await vi.waitFor(() => expect(client.out()).toContain('seen by the client'), patience)
  })
})

test('the example hub has a tool of its own next to those of ours', async () => {
  const hub = await startHub({ program: [join(root, 'examples/hub-with-a-tool.ts')] })
  const { rolled } = await callTool(hub, 'roll_dice', { sides: 2 })
  expect([1, 2]).toContain(rolled)
  expect(await callTool(hub, 'hub_status')).toHaveProperty('version')
  expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

const nginx = requires('nginx')

nginx.describe('the nginx of the security page', () => {
  test.each(['/mcp', '/mcp/'])('lets clients of every revision through, at %s', async (path) => {
    const hub = await startHub()
    await using proxy = await startNginx(hub)
    const args = [join(root, 'src/signalbox.js'), 'probe', `http://127.0.0.1:${proxy.port}${path}`]
    const env = { PATH: process.env['PATH'], SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_TOKEN: hub.token }
    const probe = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    expect(probe.status, probe.stderr).toBe(0)
    expect(probe.stdout.match(/ok +\d+ +ok/g)).toHaveLength(5)
  })

  test('lets notices through as they happen', async () => {
    const hub = await startHub()
    await using proxy = await startNginx(hub)
    const url = `http://127.0.0.1:${proxy.port}/mcp`
    const client = startExample('client.ts', ['resource://events/0'], {
      SIGNALBOX_URL: url,
      SIGNALBOX_TOKEN: hub.token,
    })
    await vi.waitFor(() => expect(client.out()).toContain('watching resource://events/0'), patience)
    await callTool(hub, 'issue_token', { role: 'human', label: 'seen through nginx' })
    await vi.waitFor(() => expect(client.out()).toContain('seen through nginx'), patience)
  })

  test('needs the setting that stands below it, and no more', async () => {
    const [setting = ''] = readBlocks(readPage('docs/security.md'), 'yaml')
    const home = temporaryDirectory()
    await using withoutIt = await startNginx(await startHub())
    expect(await statusFor('hub.example.org', withoutIt.port)).toBe(403)

    writeFileSync(join(home, 'config.yaml'), setting)
    await using withIt = await startNginx(await startHub({ home }))
    expect(await statusFor('hub.example.org', withIt.port)).toBe(200)
    expect(await statusFor('evil.example.org', withIt.port)).toBe(403)
  })
})

async function startNginx(hub: HubProcess): Promise<DocumentedNginx> {
  const [server = ''] = readBlocks(readPage('docs/security.md'), 'nginx')
  return startDocumentedNginx({ program: nginx.path, server, hubPort: hub.port })
}

/** What the hub says to a request for this host, through nginx. */
async function statusFor(host: string, port: number): Promise<number | undefined> {
  const request = get({ port, host: '127.0.0.1', path: '/readyz', headers: { host } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** The two ways in which tests put it. */
function isFollowedBy(test: string, page: string): boolean {
  if (test.includes(`readSteps(readPage('${page}'))`)) return true
  return test.includes(`const page = readPage('${page}')`) && test.includes('readSteps(page)')
}

/** Written in prose as `folder/file.ts`, from the root or from src. */
function namedFiles(page: string): readonly string[] {
  return [...readProse(page).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|md))`/g)].map(([, file = '']) => file)
}

const patience = { timeout: 12_000, interval: 50 }

async function startHub(options: Partial<HubProcessOptions> = {}): Promise<HubProcess> {
  const hub = await startHubProcess({ home: temporaryDirectory(), ...options })
  onTestFinished(() => hub[Symbol.asyncDispose]())
  return hub
}

function startExample(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(root, 'examples', file), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  return { out: () => printed, exitCode: () => child.exitCode }
}
