/**
 * The hub in front of one upstream, as the conformance suite needs it: the upstream's names unchanged, and no token,
 * since the suite cannot send one. Whoever comes without is the agent of the session. `signalbox up` has no such mode.
 */
import { loadConfig } from '../../src/config/config.ts'
import type { Gate } from '../../src/http/gate.ts'
import { startHub } from '../../src/hub.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { type ConnectorArgs, overStdio, upstreamProgram } from './gateway-hub.ts'
import { startHttpUpstream } from './http-upstream.ts'

export interface GatewayProfile extends AsyncDisposable {
  /** By the name `localhost`, which the check for DNS rebinding insists on. */
  readonly url: string
}

export interface UpstreamKind {
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly era: 'legacy' | 'modern'
}

export async function startGatewayProfile(kind: UpstreamKind): Promise<GatewayProfile> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const env = {
    SIGNALBOX_HOME: home.path,
    SIGNALBOX_PORT: '0',
    SIGNALBOX_LOG_LEVEL: 'error',
    SHELL: '/bin/sh',
    PATH: process.env['PATH'],
  }
  let session: string | undefined
  const gate: Gate = {
    async admit(authorization) {
      const isPerson = authorization !== undefined
      const caller = isPerson
        ? ({ tokenId: 'person', role: 'human', toolsets: ['all'] } as const)
        : ({ tokenId: 'agent', role: 'agent', session: session ?? '', toolsets: ['all'] } as const)
      return { is: 'admitted', caller }
    },
  }
  const hub = await startHub(loadConfig({ env }), { gate })
  stack.defer(() => hub.stop())
  const person = { url: hub.url, token: 'of a person' }
  session = String((await callTool(person, 'create_session', { name: 'conformance', command: 'cat' }))['id'])
  stack.defer(async () => void (await callTool(person, 'kill_session', { name: 'conformance' })))
  await callTool(person, 'set_policy', { scope: 'hub', source: 'default: allow' })
  await callTool(person, 'save_connector', { name: 'upstream', ...(await connectorOf(kind, stack)) })
  await callTool(person, 'bind_connector', { session, connector: 'upstream', label: 'upstream' })
  const opened = stack.move()
  return {
    url: hub.url.replace('127.0.0.1', 'localhost'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function connectorOf({ transport, era }: UpstreamKind, stack: AsyncDisposableStack): Promise<ConnectorArgs> {
  const options = { prefix: false, era }
  const program = upstreamProgram('conformance-upstream', `--${transport}`, '--era', era)
  if (transport === 'stdio') return overStdio(program, options)
  const { url } = stack.use(await startHttpUpstream(program))
  return { transport, base_url: url, options }
}
