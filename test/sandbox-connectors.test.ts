/** Stdio connectors in real sandboxes: the files that their programs see, and the hosts that they reach. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modernRequest } from './harness/modern-call.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { type GatewayHub, overStdio, startGatewayHub } from './worlds/gateway-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'socat')

const program = { cmd: process.execPath, args: [fileURLToPath(new URL('fixtures/shell-upstream.ts', import.meta.url))] }
const confined = (sandbox: object, more: object = {}) => overStdio(program, { sandbox, ...more })

describe('a confined connector', () => {
  let home: TempHome
  let hub: GatewayHub
  let service: Server
  let port: number
  beforeAll(async () => {
    home = await createTempHome()
    mkdirSync(join(home.path, '.ssh'))
    writeFileSync(join(home.path, '.ssh/id_ed25519'), 'PRIVATE KEY')
    mkdirSync(join(home.path, 'data'))
    writeFileSync(join(home.path, 'data/table'), 'ROWS')
    service = createServer((_request, response) => response.end('SERVED')).listen(0, '127.0.0.1')
    await once(service, 'listening')
    port = (service.address() as { port: number }).port
    hub = await startGatewayHub({ HOME: home.path })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    service.close()
    await home[Symbol.asyncDispose]()
  })

  /** Binds the connector to a session of its own, and runs a script in its program. */
  async function run(name: string, connector: Readonly<Record<string, unknown>>, script: string): Promise<string> {
    const agent = await hub.agentOf(name, { [name]: connector })
    const { content } = (await modernRequest(agent, 'tools/call', { name: `${name}_run`, arguments: { script } })) as {
      content: readonly { text: string }[]
    }
    return content[0]!.text
  }

  test('sees the workspace of its session and what it names, and neither the token nor the hub', async () => {
    const script = [
      'echo 1 > made && echo wrote',
      `cat ${home.path}/data/table; echo`,
      `echo 2 > ${home.path}/data/table`,
      `cat ${home.path}/.ssh/id_ed25519 ${hub.home}/token`,
      `ls -A ${home.path}`,
      'env | grep -c SIGNALBOX_HUB_SOCKET',
      `curl -s --max-time 5 ${hub.url} && echo reached the hub`,
      `curl -s --max-time 5 http://127.0.0.1:${port}`,
    ].join('; ')
    const out = await run('reader', confined({ read: ['~/data'], network: 'none' }), `{ ${script}; } 2>/dev/null`)
    expect(out).toBe('wrote\nROWS\ndata\n0\n')
    const { workspace_path: workspace } = await hub.call('get_session', { name: 'reader' })
    expect(readdirSync(String(workspace))).toContain('made')
  })

  test('reaches the hosts of its list, and each decision is recorded with its name', async () => {
    const out = await run(
      'caller',
      confined({ network: { allow: [`localhost:${port}`] } }),
      `curl -s http://127.0.0.1:${port}; echo; curl -s http://off.example/`,
    )
    expect(out).toMatch(/^SERVED\nSignalbox: off\.example:80 is not on the list of the connector "caller"\.\n$/)
    const { events } = await hub.call('query_events', { session: 'caller', type: 'network-decided' })
    const decided = (events as { payload: object }[]).map(({ payload }) => payload)
    expect(decided).toContainEqual({ connector: 'caller', host: '127.0.0.1', port, allowed: true })
    expect(decided).toContainEqual(
      expect.objectContaining({ connector: 'caller', host: 'off.example', allowed: false }),
    )
  })

  test('is tried out in its sandbox, without a workspace unless a session is named', async () => {
    const connector = { name: 'tried', ...confined({ network: 'none' }) }
    const tried = await hub.call('test_connector', { connector })
    expect(tried).toMatchObject({ ok: true, confined: { by: 'bubblewrap', network: 'none' }, tools: { count: 1 } })
    await hub.call('save_connector', connector)
    const { connectors } = await hub.call('list_connectors')
    expect(connectors).toContainEqual(
      expect.objectContaining({ name: 'tried', options: expect.objectContaining({ sandbox: expect.any(Object) }) }),
    )
  })

  test('does not start where its sandbox cannot be made, and says what to do', async () => {
    const attempt = async (connector: object) =>
      String((await hub.call('test_connector', { connector: { name: 'refused', ...connector } }))['error'])
    expect(await attempt(confined({ read: [join(hub.home, 'token')], network: 'none' }))).toMatch(
      /"refused" cannot be confined, so it does not start\..*which no confined session may see/,
    )
    expect(await attempt(confined({ network: 'none' }, { cwd: join(home.path, 'data') }))).toContain(
      'Name it in "read" or in "write"',
    )
    const address = { transport: 'http', base_url: 'http://127.0.0.1:1/mcp', options: { sandbox: { network: 'none' } } }
    expect(await failureOf(hub, 'save_connector', { name: 'address', ...address })).toContain(
      'only a program can be confined',
    )
  })
})
