/** The hub as shipped, in its own process, with connectors bound to sessions whose agents may do everything. */
import { fileURLToPath } from 'node:url'
import { compileCache } from '../harness/compile-cache.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { shippedHub } from './hub-process.ts'
import { type OwnHub, startOwnHub } from './own-hub.ts'
import type { Program } from '../gateway/raw-wires.ts'

export interface GatewayHub extends OwnHub {
  /** Creates a session with these connectors, by label. Returns what its agent needs to reach its compositor. */
  agentOf(session: string, connectors: Readonly<Record<string, ConnectorArgs>>): Promise<Endpoint>
}

export type ConnectorArgs = Readonly<Record<string, unknown>>

export async function startGatewayHub(env: Readonly<Record<string, string>> = {}): Promise<GatewayHub> {
  const hub = await startOwnHub({ program: shippedHub, env })
  await hub.call('set_policy', { scope: 'hub', source: 'default: allow' })
  return {
    ...hub,
    get process() {
      return hub.process
    },
    async agentOf(session, connectors) {
      await hub.call('create_session', { name: session, command: 'cat' })
      for (const [label, connector] of Object.entries(connectors)) {
        await hub.call('save_connector', { name: label, ...connector })
        await hub.call('bind_connector', { session, connector: label, label })
      }
      const { token } = await hub.call('issue_token', { role: 'agent', session })
      return { url: hub.url, token: String(token) }
    },
  }
}

export function overStdio({ cmd, args, env }: Program, options: Readonly<Record<string, unknown>> = {}): ConnectorArgs {
  return { transport: 'stdio', cmd, args, options: { ...options, ...(env && { env }) } }
}

export function upstreamProgram(name: string, ...args: readonly string[]): Program {
  return {
    cmd: process.execPath,
    env: compileCache,
    args: [fileURLToPath(new URL(`../gateway/upstreams/${name}.ts`, import.meta.url)), ...args],
  }
}
