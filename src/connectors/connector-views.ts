/** Connectors and bindings as people see them: with the state of their upstreams, without secrets. */
import { z } from 'zod'
import type { Binding } from '../api/connector.ts'
import { connectorSchema, upstreamStates } from '../api/connector.ts'
import type { UpstreamStatus } from '../mcp/mcp.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { Resolver, SessionPlace } from './resolve.ts'

export const connectorView = connectorSchema.extend({
  upstream: z
    .object({ is: z.enum(upstreamStates), reason: z.string().optional() })
    .describe('Of all its upstreams the one that is worst off.'),
  sessions: z.array(z.string()).describe('Those that are bound to it and have not ended.'),
})
export type ConnectorView = z.output<typeof connectorView>

export interface ConnectorViews {
  connector(record: ConnectorRecord): Promise<ConnectorView>
  binding(record: BindingRecord, session: SessionPlace): Binding
}

export function createConnectorViews(options: {
  readonly resolver: Resolver
  readonly sessionsOf: (connector: string) => Promise<readonly BoundSession[]>
  readonly upstreamStatus: (sessionId: string, label: string) => UpstreamStatus | undefined
}): ConnectorViews {
  const { resolver, sessionsOf, upstreamStatus } = options
  return {
    async connector({ connector }) {
      const bound = await sessionsOf(connector.name)
      const states = bound.flatMap(({ id, label }) => upstreamStatus(id, label) ?? [])
      const { is, reason } = worst(states)
      return {
        ...connector,
        upstream: { is, ...(reason !== undefined && { reason }) },
        sessions: [...new Set(bound.map(({ name }) => name))],
      }
    },
    binding({ connector, label, overrides, priority, sessionId }, session) {
      const { redacted, missing } = resolver.preview(connector.connector, overrides, session)
      const upstream = upstreamStatus(sessionId, label)
      return {
        session: session.name,
        connector: connector.connector.name,
        label,
        overrides,
        priority,
        resolved: { ...redacted, ...(missing.length > 0 && { missing }) },
        ...(upstream && { upstream: statusView(upstream) }),
      }
    },
  }
}

function worst(states: readonly UpstreamStatus[]): Pick<UpstreamStatus, 'is' | 'reason'> {
  for (const is of ['failed', 'initializing', 'running'] as const) {
    const found = states.find((state) => state.is === is)
    if (found) return found
  }
  return { is: 'stopped' }
}

function statusView({ is, reason, retryAt }: UpstreamStatus): NonNullable<Binding['upstream']> {
  return { is, ...(reason !== undefined && { reason }), ...(retryAt !== undefined && { retry_at: retryAt }) }
}
