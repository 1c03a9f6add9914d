/**
 * The hub in front of one upstream, as the conformance suite needs it: with the upstream's own names, and without a
 * token, since the suite cannot send one. A request without a token counts as the agent of the session. `signalbox up`
 * has no such mode.
 */
import { loadConfig } from '../../src/config/config.ts'
import type { Authenticator } from '../../src/http/authenticator.ts'
import { startHub } from '../../src/hub.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { type ConnectorArgs, overStdio, upstreamProgram } from '../worlds/gateway-hub.ts'
import { startHttpUpstream } from '../worlds/upstream-process.ts'

export interface GatewayProfile extends AsyncDisposable {
  /** Uses the name `localhost`, which the check for DNS rebinding requires. */
  readonly url: string
}

export interface UpstreamKind {
  readonly transport: 'stdio' | 'http' | 'sse'
  /** `both`: a server that uses only the SDK, as others write them. */
  readonly era: 'legacy' | 'modern' | 'both'
  readonly shared?: boolean
}

export function startGatewayProfile(kind: UpstreamKind): Promise<GatewayProfile> {
  return startProfileOf((stack) => connectorOf(kind, stack))
}

/** Starts the hub in front of the upstream of a connector. */
export async function startProfileOf(
  connector: (stack: AsyncDisposableStack) => Promise<ConnectorArgs>,
): Promise<GatewayProfile> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const env = {
    SIGNALBOX_HOME: home.path,
    SIGNALBOX_PORT: '0',
    SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
    SIGNALBOX_LOG_LEVEL: 'error',
    SHELL: '/bin/sh',
    PATH: process.env['PATH'],
  }
  let session: string | undefined
  const authenticator: Authenticator = {
    async authenticate(authorization) {
      const isPerson = authorization !== undefined
      const caller = isPerson
        ? ({ tokenId: 'person', role: 'human', toolsets: ['all'] } as const)
        : ({ tokenId: 'agent', role: 'agent', session: session ?? '', toolsets: ['all'] } as const)
      return { is: 'authenticated', caller }
    },
  }
  const hub = await startHub(loadConfig({ env }), { authenticator })
  stack.defer(() => hub.stop())
  const person = { url: hub.url, token: 'of a person' }
  session = String((await callTool(person, 'create_session', { name: 'conformance', command: 'cat' }))['id'])
  stack.defer(async () => void (await callTool(person, 'kill_session', { name: 'conformance' })))
  await callTool(person, 'set_policy', { scope: 'hub', source: 'default: allow' })
  await callTool(person, 'save_connector', { name: 'upstream', ...(await connector(stack)) })
  await callTool(person, 'bind_connector', { session, connector: 'upstream', label: 'upstream' })
  const opened = stack.move()
  return {
    url: hub.url.replace('127.0.0.1', 'localhost'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function connectorOf(kind: UpstreamKind, stack: AsyncDisposableStack): Promise<ConnectorArgs> {
  const { transport, era, shared = false } = kind
  const options = { prefix: false, shared, ...(era !== 'both' && { era }) }
  const program =
    era === 'both'
      ? upstreamProgram('sdk-upstream', `--${transport}`)
      : upstreamProgram('conformance-upstream', `--${transport}`, '--era', era)
  if (transport === 'stdio') return overStdio(program, options)
  const { url } = stack.use(await startHttpUpstream(program))
  return { transport, base_url: url, options }
}
