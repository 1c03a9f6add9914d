/** The command line of the official Inspector against the shipped hub, with a bearer token, in both eras. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { inspectAt } from './inspect.ts'

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

  test('reads the status of the hub', async () => {
    const uri = 'resource://hub/status'
    const { code, result } = await inspect(era, ['--method', 'resources/read', '--uri', uri])
    expect(code).toBe(0)
    expect(result).toMatchObject({ contents: [expect.objectContaining({ uri })] })
  })
})

test('the Inspector exits with an authentication error for a wrong token', async () => {
  const { code, stderr } = await inspect('legacy', ['--method', 'tools/list', '--stored-auth-only'], 'no-such-token')
  expect(stderr).toContain('auth_required')
  expect(code).toBe(3)
})

const inspect = (era: string, options: readonly string[], token = hub.token) =>
  inspectAt({ url: `${hub.url}?toolsets=all`, token }, era, options)
