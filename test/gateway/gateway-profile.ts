/**
 * The hub as the conformance suite needs it: with the upstream's own names, and without a token, since the suite cannot
 * send one. A request without a token counts as the agent of the newest session. `signalbox up` has no such mode.
 */
import { loadConfig } from '../../src/config/config.ts'
import type { Authenticator } from '../../src/http/authenticator.ts'
import { startHub } from '../../src/hub.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import type { ConnectorArgs } from '../worlds/gateway-hub.ts'

export interface GatewayProfile extends AsyncDisposable {
  /** Uses the name `localhost`, which the check for DNS rebinding requires. */
  readonly url: string
  /** From now on the hub is in front of this upstream. */
  use(connector: ConnectorArgs): Promise<void>
}

export async function startGatewayProfile(): Promise<GatewayProfile> {
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
  let session = ''
  const authenticator: Authenticator = {
    async authenticate(authorization) {
      const isPerson = authorization !== undefined
      const caller = isPerson
        ? ({ tokenId: 'person', role: 'human', toolsets: ['all'] } as const)
        : ({ tokenId: 'agent', role: 'agent', session, toolsets: ['all'] } as const)
      return { is: 'authenticated', caller }
    },
  }
  const hub = await startHub(loadConfig({ env }), { authenticator })
  stack.defer(() => hub.stop())
  const person = { url: hub.url, token: 'of a person' }
  await callTool(person, 'set_policy', { scope: 'hub', source: 'default: allow' })
  let count = 0
  const opened = stack.move()
  return {
    url: hub.url.replace('127.0.0.1', 'localhost'),
    async use(connector) {
      const name = `upstream-${++count}`
      session = String((await callTool(person, 'create_session', { name, command: 'cat' }))['id'])
      opened.defer(async () => void (await callTool(person, 'kill_session', { name })))
      await callTool(person, 'save_connector', { name, ...connector })
      await callTool(person, 'bind_connector', { session, connector: name, label: 'upstream' })
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
