/**
 * Plays scenarios of the suite, a few at a time. The client under test is a hub: its person binds the suite's server to a
 * session, and the agent of that session does what the scenario names.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { createSerial } from '../../src/base/serial.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { connectAgent } from './agent.ts'
import { playOf } from './plays.ts'

export interface Player extends AsyncDisposable {
  /** Where drivers hand in their scenario; answered when it is over. */
  readonly url: string
}

export interface PlayerOptions {
  /** As its person sees it. */
  readonly hub: Endpoint
  readonly session: string
  /** As the agent of the session sees it. */
  readonly compositor: Endpoint
}

const scenario = z.object({ scenario: z.string(), context: z.record(z.string(), z.unknown()), url: z.string() })
type Scenario = z.output<typeof scenario>

const atATime = 4

export async function startPlayer(options: PlayerOptions): Promise<Player> {
  const lanes = Array.from({ length: atATime }, () => createSerial())
  let count = 0
  const server = createServer((request, response) => {
    const lane = lanes[count++ % atATime]!
    lane(async () => play(scenario.parse(JSON.parse(await text(request))), options)).then(
      () => response.end('It was played to its end.'),
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

async function play({ scenario: name, context, url }: Scenario, { hub, session, compositor }: PlayerOptions) {
  const connector = name.replaceAll(/[^a-z0-9]/g, '').slice(-24)
  const options = optionsFor(name, context)
  await callTool(hub, 'save_connector', { name: connector, transport: 'http', base_url: url, options })
  await callTool(hub, 'bind_connector', { session, connector, label: connector })
  try {
    await using agent = await connectAgent(compositor, connector)
    await playOf(name)({ hub, connector, agent, context })
  } finally {
    await callTool(hub, 'unbind_connector', { session, label: connector })
    await callTool(hub, 'delete_connector', { name: connector })
  }
}

/** Whom to log in as, where the hub is not to register itself. */
function optionsFor(name: string, { client_id: id }: Readonly<Record<string, unknown>>): object {
  if (name === 'auth/basic-cimd') {
    return { oauth: { client_id: 'https://conformance-test.local/client-metadata.json' } }
  }
  if (name === 'auth/pre-registration') return { oauth: { client_id: id, client_secret: '${CLIENT_SECRET}' } }
  return {}
}
