/**
 * The official suite against server-everything from npm, direct and behind the hub. It is not a conformance fixture and
 * fails many scenarios. A scenario that passes direct must also pass behind the hub, in both eras.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { type Edition, runSuite } from '../conformance/official-suite.ts'
import { freePort } from '../fixtures/ports.ts'
import { until } from '../fixtures/until.ts'
import { startGatewayProfile } from './gateway-profile.ts'
import { packageProgram } from './side-by-side.ts'

/**
 * The server does not have these tools. It says so in a text, and a text is what these scenarios expect; the hub
 * answers with an error.
 */
const passedByAccident = new Set(['tools-call-simple-text', 'tools-call-error'])

test('every scenario that server-everything passes direct also passes behind the hub', async () => {
  await using stack = new AsyncDisposableStack()
  const url = await startEverything(stack)
  const connector = { transport: 'http', base_url: url, options: { prefix: false } }
  const hub = stack.use(await startGatewayProfile())
  await hub.use(connector)

  const passedDirect = (await passed('2025-11-25', url)).difference(passedByAccident)
  expect(passedDirect.size).toBeGreaterThanOrEqual(5)
  const passedThrough = await passed('2025-11-25', hub.url)
  expect(passedDirect.difference(passedThrough)).toEqual(new Set())
  const modern = await runSuite(editionOf('2026-07-28'), hub.url)
  const failedModern = modern.scenarios.filter(({ failed }) => failed > 0).map(({ name }) => name)
  expect(passedDirect.intersection(new Set(failedModern))).toEqual(new Set())
}, 300_000)

async function startEverything(stack: AsyncDisposableStack): Promise<string> {
  const port = await freePort()
  const { cmd, args } = packageProgram('server-everything', 'streamableHttp')
  const child = spawn(cmd, args, { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] })
  stack.defer(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until(() => said.includes('listening on port'))
  return `http://localhost:${port}/mcp`
}

async function passed(revision: string, url: string): Promise<ReadonlySet<string>> {
  const { scenarios } = await runSuite(editionOf(revision), url)
  return new Set(scenarios.filter(({ failed }) => failed === 0).map(({ name }) => name))
}

function editionOf(revision: string): Edition {
  return { package: '@modelcontextprotocol/conformance', label: revision, options: ['--requirements', revision] }
}
