/** The command line of the official Inspector against the shipped hub, with a bearer token, in both eras. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'

const inspectorFolder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'))
const launcher = join(inspectorFolder, 'clients/launcher/build/index.js')

let home: TempHome
let hub: HubProcess

beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe.each([
  ['legacy', '2025-11-25'],
  ['modern', '2026-07-28'],
] as const)('Inspector, %s era', (era, revision) => {
  test(`negotiates ${revision} with the hub`, async () => {
    const { code, result } = await inspect(era, ['--method', 'initialize'])
    expect(code).toBe(0)
    expect(result).toMatchObject({ protocolVersion: revision, serverInfo: { name: 'signalbox' } })
  })

  test('lists the tools and finds every schema readable for other clients', async () => {
    const { code, result } = await inspect(era, ['--method', 'tools/list', '--strict'])
    expect(code).toBe(0)
    expect(result).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'hub_status' })]) })
  })

  test('calls hub_status', async () => {
    const { code, result } = await inspect(era, ['--method', 'tools/call', '--tool-name', 'hub_status'])
    expect(code).toBe(0)
    expect(result).toMatchObject({ structuredContent: { version: expect.any(String) } })
  })

  test('lists the resources and reads the status of the hub', async () => {
    const uri = 'resource://hub/status'
    const list = await inspect(era, ['--method', 'resources/list'])
    const read = await inspect(era, ['--method', 'resources/read', '--uri', uri])
    expect([list.code, read.code]).toEqual([0, 0])
    expect(list.result).toMatchObject({ resources: expect.arrayContaining([expect.objectContaining({ uri })]) })
    expect(read.result).toMatchObject({ contents: [expect.objectContaining({ uri })] })
  })

  test('exits with an authentication error for a wrong token', async () => {
    const { code, stderr } = await inspect(era, ['--method', 'tools/list', '--stored-auth-only'], 'no-such-token')
    expect(stderr).toContain('auth_required')
    expect(code).toBe(3)
  })
})

interface Inspection {
  readonly code: number
  readonly result: unknown
  readonly stderr: string
}

/** The era can only be set in a configuration file. */
async function inspect(era: string, options: readonly string[], token = hub.token): Promise<Inspection> {
  await using scratch = await createTempHome()
  const config = join(scratch.path, 'servers.json')
  const server = {
    type: 'streamable-http',
    url: `${hub.url}?toolsets=all`,
    headers: { Authorization: `Bearer ${token}` },
    protocolEra: era,
  }
  await writeFile(config, JSON.stringify({ mcpServers: { hub: server } }))
  const args = [launcher, '--cli', '--config', config, '--server', 'hub', ...options, '--format', 'json']
  const env = { ...process.env, HOME: scratch.path, MCP_INSPECTOR_SECRET_STORE: 'memory' }
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) => {
      const parsed = z.object({ result: z.unknown() }).safeParse(stdout.trim() === '' ? {} : JSON.parse(stdout))
      resolve({ code: child.exitCode ?? -1, result: parsed.data?.result, stderr })
    })
  })
}
