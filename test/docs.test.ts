/** The documentation keeps its word: its links lead somewhere, its messages exist, its guides and examples work. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isBroken, linksOf, pages, readPage } from './documents/links.ts'
import { createNewcomer, root } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { runSteps } from './documents/run-steps.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { type HubProcess, type HubProcessOptions, startHubProcess } from './harness/hub-process.ts'
import { callTool } from './harness/modern-call.ts'

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

test('every message that troubleshooting quotes is one that we say', () => {
  const said = globSync(['src/**/*.ts', 'scripts/*'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const quoted = [...readPage('docs/troubleshooting.md').matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message)
  expect(quoted.length).toBeGreaterThan(10)
  const invented = quoted.filter((message) => !message.split('…').every((part) => said.includes(part.trim())))
  expect(invented).toEqual([])
})

test('whoever follows the guides has a tool that works, and a resource that can be watched', async () => {
  await using newcomer = await createNewcomer()
  for (const guide of ['add-a-tool', 'add-a-resource']) {
    await runSteps(readSteps(readPage(`docs/guides/${guide}.md`)), newcomer)
  }
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
    expect(await client.exit).toEqual([0, null])
    expect(client.out()).toContain('the hub ended the stream: graceful')
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

const patience = { timeout: 30_000, interval: 50 }

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
  return { out: () => printed, exit: once(child, 'exit') }
}
