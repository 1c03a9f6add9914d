/**
 * Where the program of a connector starts. A confined agent fills its workspace with files that npx, npm, Python and
 * Node run or obey in the directory they start in. None of them runs outside of the sandbox.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { modernRequest, type Endpoint } from './harness/modern-call.ts'
import { until } from './fixtures/until.ts'
import { connectEndpoint } from './gateway/raw-wires.ts'
import { packageProgram } from './gateway/side-by-side.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { type GatewayHub, overStdio, startGatewayHub } from './worlds/gateway-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'socat')

const shell = fileURLToPath(new URL('fixtures/shell-upstream.ts', import.meta.url))

/** What the agent writes into its workspace. Each file leaves a mark in the home of the person who runs it. */
function plant(mark: string): string {
  const node = (name: string) => `require("node:fs").writeFileSync("${mark}", "${name}")`
  return [
    'mkdir -p node_modules/.bin node_modules/some-mcp-server',
    `echo '{"name": "some-mcp-server", "version": "9.9.9", "bin": {"some-mcp-server": "index.js"}}' > node_modules/some-mcp-server/package.json`,
    `printf '#!/usr/bin/env node\\n${node('npx')}\\n' > node_modules/some-mcp-server/index.js`,
    'chmod +x node_modules/some-mcp-server/index.js',
    'ln -s ../some-mcp-server/index.js node_modules/.bin/some-mcp-server',
    `echo '{"name": "project"}' > package.json`,
    'echo "script-shell=$PWD/shell.sh" > .npmrc',
    `printf '#!/bin/sh\\necho npmrc > ${mark}\\nexec /bin/sh "$@"\\n' > shell.sh`,
    `printf 'open("${mark}", "w").write("python")\\n' > some_mcp_server.py`,
    `printf '${node('relative')}\\n' > server.js`,
    `printf '#!/bin/sh\\necho command > ${mark}\\n' > server.sh`,
    'chmod +x shell.sh server.sh',
    'echo planted',
    'exec cat',
  ].join('\n')
}

describe('the program of a connector', () => {
  let home: TempHome
  let hub: GatewayHub
  let agent: Endpoint
  let mark: string
  let workspace: string
  beforeAll(async () => {
    home = await createTempHome()
    mark = join(home.path, 'mark')
    hub = await startGatewayHub({ HOME: home.path })
    const sandbox = { network: 'none' }
    const created = await hub.call('create_session', { name: 'planter', command: plant(mark), sandbox })
    workspace = String(created['workspace_path'])
    await hub.call('wait_for', { session: 'planter', for: 'text', value: 'planted' })
    const { token } = await hub.call('issue_token', { role: 'agent', session: 'planter' })
    agent = { url: hub.url, token: String(token) }
  })
  beforeEach(() => rmSync(mark, { force: true }))
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  async function bind(name: string, connector: Readonly<Record<string, unknown>>): Promise<void> {
    await hub.call('save_connector', { name, ...connector })
    await hub.call('bind_connector', { session: 'planter', connector: name, label: name })
  }

  /** The text that a tool of the agent answers, or the error. */
  async function call(name: string, args: object): Promise<string> {
    try {
      const { content } = (await modernRequest(agent, 'tools/call', { name, arguments: args })) as {
        content: readonly { text: string }[]
      }
      return content[0]!.text
    } catch (error) {
      return String(error)
    }
  }

  /** A package that the person has, which npx runs by a shell. */
  function honestPackage(): string {
    const directory = join(home.path, 'honest')
    mkdirSync(directory)
    writeFileSync(join(directory, 'package.json'), '{"name": "honest", "version": "1.0.0", "bin": "index.js"}')
    writeFileSync(join(directory, 'index.js'), `#!${process.execPath}\nimport(${JSON.stringify(shell)})\n`)
    chmodSync(join(directory, 'index.js'), 0o755)
    return directory
  }

  const env = { npm_config_offline: 'true' }

  test.each([
    ['npx', { cmd: 'npx', args: ['-y', 'some-mcp-server'], env }],
    ['python', { cmd: '/usr/bin/python3', args: ['-m', 'some_mcp_server'] }],
    ['relative', { cmd: process.execPath, args: ['server.js'] }],
    ['command', { cmd: './server.sh', args: [] }],
  ])('runs nothing that the agent wrote: %s', async (name, program) => {
    await bind(name, overStdio(program))
    // It fails, because what it names is only in the workspace.
    expect(await hub.call('test_connector', { name, session: 'planter' })).toMatchObject({ ok: false })
    expect(await call(`${name}_run`, { script: 'true' })).not.toBe('')
    expect(existsSync(mark)).toBe(false)
  })

  test('runs nothing that a .npmrc of the agent names, and works', async () => {
    await bind('npmrc', overStdio({ cmd: 'npx', args: ['-y', honestPackage()], env }))
    expect(await call('npmrc_run', { script: 'pwd' })).toBe(`${join(hub.home, 'connectors')}\n`)
    expect(existsSync(mark)).toBe(false)
  })

  test('starts in an empty directory that takes no files, and gets the workspace in its arguments and variables', async () => {
    const program = { cmd: process.execPath, args: [shell, '{workspace}'], env: { PROJECT: '{workspace}' } }
    await bind('places', overStdio(program))
    const directory = join(hub.home, 'connectors')
    const script = `echo "$PROJECT"; pwd; stat -c %a .; tr '\\0' '\\n' < /proc/$PPID/cmdline | tail -1`
    expect(await call('places_run', { script })).toBe([workspace, directory, '500', workspace, ''].join('\n'))
    expect(readdirSync(directory)).toEqual([])
  })

  test('gets the workspace as its root', async () => {
    await bind('files', overStdio(packageProgram('server-filesystem')))
    expect(await call('files_list_allowed_directories', {})).toContain(workspace)
  })

  test('gets no roots that the agent names', async () => {
    const secrets = join(home.path, 'secrets')
    mkdirSync(secrets)
    await bind('asker', overStdio(packageProgram('server-filesystem')))
    const roots = [{ uri: pathToFileURL(secrets).href }]
    await using client = await connectEndpoint(agent, { 'roots/list': { roots } })
    const allowed = { name: 'asker_list_allowed_directories', arguments: {} }
    const shown = async () => JSON.stringify((await client.request('tools/call', allowed)).result)
    await until(async () => (await shown()).includes(workspace))
    await client.notify('notifications/roots/list_changed')
    expect(await shown()).not.toContain(secrets)
    expect(await call('asker_list_allowed_directories', {})).not.toContain(secrets)
  })

  test('starts in the directory that a person names in its settings', async () => {
    const program = { cmd: process.execPath, args: [shell] }
    await bind('named', overStdio(program, { cwd: '{workspace}' }))
    await bind('below', overStdio(program, { cwd: 'node_modules' }))
    expect(await call('named_run', { script: 'pwd' })).toBe(`${workspace}\n`)
    expect(await call('below_run', { script: 'pwd' })).toBe(`${workspace}/node_modules\n`)
  })
})

describe('a confined session', () => {
  test('does not start in a directory that holds the data directory, and so the directory of connectors', async () => {
    await using hub = await startGatewayHub({ HOME: '/nonexistent' })
    const asked = { name: 'above', command: 'true', working_dir: dirname(hub.home) }
    expect(await failureOf(hub, 'create_session', { ...asked, sandbox: { network: 'none' } })).toContain(
      'holds the data directory of the hub',
    )
  })
})
