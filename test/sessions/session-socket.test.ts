/** The socket of a session, from the output of `signalbox mcp-config` to a client library that uses it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { CliOutcome } from '../fixtures/run-cli.ts'
import { runInProcess } from '../fixtures/run-cli.ts'
import { callTool } from '../harness/modern-call.ts'
import { startRelay } from '../worlds/relay-process.ts'
import { type OwnHub, startOwnHub } from '../worlds/own-hub.ts'
import { shippedHub } from '../worlds/hub-process.ts'
import { openV1 } from '../interop/sdk-v1-client.ts'
import { openV2Modern } from '../interop/sdk-v2-client.ts'

const patience = { timeout: 60_000, interval: 20 }

let hub: OwnHub
beforeAll(async () => {
  hub = await startOwnHub({ program: shippedHub, env: { XDG_RUNTIME_DIR: '' } })
  const { token, url } = hub
  const args = {
    name: 'cat',
    template: 'shell',
    command: 'cat',
    mcp_socket: 'meow',
    tools: ['read_screen', 'send_text'],
    policy: 'rules: [{ allow: terminal_send_text }]',
  }
  await callTool({ token, url }, 'create_session', args)
})
afterAll(async () => {
  await hub.call('kill_session', { name: 'cat' }).catch(() => {})
  await hub[Symbol.asyncDispose]()
})

const claudeSettings = z.object({
  mcpServers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
})

function printed(session: string): Promise<CliOutcome> {
  const argv = ['mcp-config', '--session', session, '--for', 'claude']
  return runInProcess(argv, { env: { SIGNALBOX_HOME: hub.home } })
}

/** The program that the settings of Claude Code name. */
async function printedProgram(
  session = 'cat',
): Promise<{ command: string; args: string[]; env: Record<string, string> }> {
  const { code, out, err } = await printed(session)
  expect(code, err).toBe(0)
  expect(out).not.toContain(hub.token)
  const { mcpServers } = claudeSettings.parse(JSON.parse(out))
  return { ...mcpServers[`signalbox-${session}`]!, env: { PATH: process.env['PATH'] ?? '' } }
}

test('clients of both eras can read and type with the printed settings, and have only the tools of the session', async () => {
  const program = await printedProgram()
  await using modern = await openV2Modern(new TransportV2(program))
  await using legacy = await openV1(new TransportV1(program))
  expect(await modern.listTools()).toEqual(['read_screen', 'send_text'])
  expect(await legacy.listTools()).toEqual(['read_screen', 'send_text'])

  await modern.callTool('send_text', { text: 'typed by the one\n' })
  const screen = async () => JSON.stringify(await legacy.callTool('read_screen'))
  await expect.poll(screen, patience).toContain('typed by the one')
  await expect(legacy.callTool('send_keys', { keys: 'Enter' })).rejects.toThrow('Unknown tool')
})

test('the same settings work after the hub was killed and started again', async () => {
  const program = await printedProgram()
  await hub.restart('SIGKILL')
  await using client = await openV2Modern(new TransportV2(program))
  await client.callTool('send_text', { text: 'and after\n' })
  await expect.poll(async () => JSON.stringify(await client.callTool('read_screen')), patience).toContain('and after')
})

test('the settings name the session, so they also work for a new run of it', async () => {
  const args = { name: 'bird', template: 'shell', command: 'cat', tools: ['read_screen'] }
  const first = await hub.call('create_session', args)
  const program = await printedProgram('bird')
  await hub.call('kill_session', { name: 'bird' })
  await expect
    .poll(async () => (await hub.call('get_session', { name: 'bird' }))['status'], patience)
    .not.toBe('running')
  const second = await hub.call('create_session', args)
  expect(second['mcp_socket']).not.toBe(first['mcp_socket'])
  await using client = await openV2Modern(new TransportV2(program))
  expect(await client.listTools()).toEqual(['read_screen'])
  await hub.call('kill_session', { name: 'bird' })
})

test('the settings of a session without tools come with a warning', async () => {
  await hub.call('create_session', { name: 'mute', template: 'shell', command: 'cat', tools: [] })
  const { code, out, err } = await printed('mute')
  expect(code).toBe(0)
  expect(out).toContain('signalbox-mute')
  expect(err).toContain('"mute" has no terminal tools switched on')
  const advice = /signalbox call (\S+) '(.*)'/.exec(err)
  await runInProcess(['call', ...advice!.slice(1)], { env: { SIGNALBOX_HOME: hub.home } })
  expect((await printed('mute')).err).not.toContain('no terminal tools')
  await hub.call('kill_session', { name: 'mute' })
})

test('two sessions cannot have the same socket name', async () => {
  const taken = hub.call('create_session', { name: 'dog', template: 'shell', command: 'cat', mcp_socket: 'meow' })
  await expect(taken).rejects.toThrow('already taken')
})

test('the socket and its relays end with the session', async () => {
  const path = join(hub.home, 'run', 'signalbox-mcp-meow.sock')
  await using relay = startRelay(['--socket', path])
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  relay.send(request)
  await relay.answer(1)
  await hub.call('kill_session', { name: 'cat' })
  expect((await relay.exit).code).toBe(4)
  expect(existsSync(path)).toBe(false)
  const { code, err } = await printed('cat')
  expect(code).toBe(1)
  expect(err).toContain('has ended')
})

test.each([
  [['--for', 'claude'], '--session'],
  [['--session', 'cat'], '--for'],
  [['--session', 'cat', '--for', 'cloude'], 'Did you mean claude?'],
  [['--session', 'cat', '--url', 'http://127.0.0.1:1', '--for', 'codex'], '--session'],
])('mcp-config %j fails and names the missing option', async (argv, advice) => {
  const { code, err } = await runInProcess(['mcp-config', ...argv], { env: { SIGNALBOX_HOME: hub.home } })
  expect(code).toBe(2)
  expect(err).toContain(advice)
})

test('mcp-config for an endpoint works without a hub', async () => {
  const argv = ['mcp-config', '--url', 'http://127.0.0.1:1', '--for', 'codex']
  const { code, out } = await runInProcess(argv, { env: { SIGNALBOX_HOME: hub.home } })
  expect(code).toBe(0)
  expect(out).toContain('url = "http://127.0.0.1:1/mcp"')
})
