/**
 * An upstream with everything that the conformance suite tests.
 *
 * node conformance-upstream.ts --stdio | --http | --sse [--era legacy|modern|both]
 *
 * Over HTTP it prints `listening on <url>` when it is ready.
 */
import { parseArgs } from 'node:util'
import { linesOf } from '../../../src/base/lines.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import type { Outlet } from '../../../src/endpoint/endpoint.ts'
import type { Authenticator } from '../../../src/http/authenticator.ts'
import { createHttp } from '../../../src/http/http.ts'
import { log, openFixtureEndpoint } from './fixture-endpoint.ts'
import { limitEra, type ServedEra } from './limit-era.ts'

const { values } = parseArgs({
  options: {
    stdio: { type: 'boolean', default: false },
    http: { type: 'boolean', default: false },
    sse: { type: 'boolean', default: false },
    era: { type: 'string', default: 'both' },
  },
})
const eras: readonly string[] = ['legacy', 'modern', 'both'] satisfies ServedEra[]
if (!eras.includes(values.era)) throw new Error(`--era takes ${eras.join(', ')}, not "${values.era}".`)

const maxBodyBytes = 4 * 1024 * 1024
const fixtures = await openFixtureEndpoint()
const endpoint = limitEra(fixtures.endpoint, values.era as ServedEra)
if (values.stdio) await serveLines()
else await serveHttp(values.sse ? '/sse' : '/mcp')

async function serveHttp(path: string): Promise<void> {
  const rules = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] }
  const http = createHttp({
    rules,
    maxBodyBytes,
    maxIdlePerToken: 256,
    metrics: createMetrics(),
    log,
  })
  const port = await http.listen('127.0.0.1', 0)
  const authenticator: Authenticator = { authenticate: async () => ({ is: 'authenticated', caller: fixtures.caller }) }
  http.open({ endpoint, authenticator, faceOf: () => fixtures.face })
  process.once('SIGTERM', () => void http.stop(0).then(end))
  console.log(`listening on http://127.0.0.1:${port}${path}`)
}

async function serveLines(): Promise<void> {
  const { caller, face } = fixtures
  const connection = endpoint.openLines({ caller, face }, outletOf(process.stdout))
  process.once('SIGTERM', () => void end())
  for await (const line of linesOf(process.stdin, maxBodyBytes)) connection.receive(line)
  await connection.settled()
  await end()
}

async function end(): Promise<void> {
  await fixtures[Symbol.asyncDispose]()
  process.exit(0)
}

function outletOf(stream: NodeJS.WriteStream): Outlet {
  return {
    isOpen: true,
    get isReady() {
      return !stream.writableNeedDrain
    },
    send: (message) => void stream.write(`${JSON.stringify(message)}\n`),
    prime: () => {},
    retryAfter: () => {},
    onDrain: (listener) => stream.on('drain', listener),
    onClose: (listener) => stream.once('close', listener),
    end: () => stream.end(),
  }
}
