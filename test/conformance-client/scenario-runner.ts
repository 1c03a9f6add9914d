/**
 * Runs scenarios of the suite, a few at a time. The client under test is a hub: its person binds the suite's server to a
 * session, and the agent of that session does what the scenario names.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { createSerial } from '../../src/base/serial.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { connectAgent } from './agent.ts'
import { stepsOf } from './scenario-steps.ts'

export interface ScenarioRunner extends AsyncDisposable {
  /** Drivers post their scenario here. The answer comes when the scenario has ended. */
  readonly url: string
}

export interface ScenarioRunnerOptions {
  /** The endpoint for a person. */
  readonly hub: Endpoint
  readonly session: string
  /** The endpoint for the agent of the session. */
  readonly compositor: Endpoint
}

const scenario = z.object({
  scenario: z.string(),
  context: z.string().transform((text) => context.parse(JSON.parse(text || '{}'))),
  url: z.string(),
})
const context = z.record(z.string(), z.unknown())
type Scenario = z.output<typeof scenario>

const atATime = 4

export async function startScenarioRunner(options: ScenarioRunnerOptions): Promise<ScenarioRunner> {
  const lanes = Array.from({ length: atATime }, () => createSerial())
  let count = 0
  const server = createServer((request, response) => {
    const lane = lanes[count++ % atATime]!
    lane(async () =>
      runScenario(scenario.parse(Object.fromEntries(new URLSearchParams(await text(request)))), options),
    ).then(
      () => response.end('The scenario has ended.'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function runScenario(
  { scenario: name, context, url }: Scenario,
  { hub, session, compositor }: ScenarioRunnerOptions,
) {
  const connector = name.replaceAll(/[^a-z0-9]/g, '').slice(-24)
  const options = optionsFor(name, context)
  await callTool(hub, 'save_connector', { name: connector, transport: 'http', base_url: url, options })
  await callTool(hub, 'bind_connector', { session, connector, label: connector })
  try {
    await using agent = await connectAgent(compositor, connector)
    await stepsOf(name)({ hub, connector, agent, context })
  } finally {
    await callTool(hub, 'unbind_connector', { session, label: connector })
    await callTool(hub, 'delete_connector', { name: connector })
  }
}

/** The OAuth client, if the hub must not register itself, and the era, if the server speaks both. */
function optionsFor(name: string, { client_id: id }: Readonly<Record<string, unknown>>): object {
  if (name === 'auth/basic-cimd') {
    return { oauth: { client_id: 'https://conformance-test.local/client-metadata.json' } }
  }
  if (name === 'auth/pre-registration') return { oauth: { client_id: id, client_secret: '${CLIENT_SECRET}' } }
  // By default the hub uses the era of the agent, which is legacy.
  if (name === 'http-standard-headers') return { era: 'modern' }
  return {}
}
