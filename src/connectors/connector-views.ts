/** Connectors and bindings as people see them: with the state of their upstreams, without secrets. */
import { z } from 'zod'
import type { Binding, upstreamStatusSchema } from '../api/connector.ts'
import { connectorSchema, upstreamStates } from '../api/connector.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { Resolver, SessionPlace } from './resolve.ts'

export type UpstreamView = z.output<typeof upstreamStatusSchema>

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
  readonly upstreamStatus: (sessionId: string, label: string) => UpstreamView | undefined
}): ConnectorViews {
  const { resolver, sessionsOf, upstreamStatus } = options
  return {
    async connector({ connector }) {
      const bound = (await sessionsOf(connector.name)).filter(isLiving)
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
        ...(upstream && { upstream }),
      }
    },
  }
}

const endedStatuses: readonly string[] = ['completed', 'failed', 'stopped']

function isLiving({ status }: BoundSession): boolean {
  return !endedStatuses.includes(status)
}

function worst(states: readonly UpstreamView[]): Pick<UpstreamView, 'is' | 'reason'> {
  for (const is of ['failed', 'initializing', 'running'] as const) {
    const found = states.find((state) => state.is === is)
    if (found) return found
  }
  return { is: 'stopped' }
}
