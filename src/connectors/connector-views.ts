/** Connectors and bindings as people see them: with the state of their upstreams and without secrets. */
import { z } from 'zod'
import type { Binding, Overrides } from '../api/connector.ts'
import { connectorSchema, upstreamStatusSchema } from '../api/connector.ts'
import type { UpstreamFacts } from '../upstream/upstream.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { Resolver, SessionPlace } from './resolve.ts'
import { mapTexts } from './texts/connector-texts.ts'

export const connectorView = connectorSchema.extend({
  upstream: upstreamStatusSchema.describe(
    'Of all its upstreams the one that is worst off; the breach is the last of all.',
  ),
  sessions: z.array(z.string()).describe('Those that are bound to it and have not ended.'),
})
export type ConnectorView = z.output<typeof connectorView>

export interface ConnectorViews {
  connector(record: ConnectorRecord): Promise<ConnectorView>
  binding(record: Omit<BindingRecord, 'id'>, session: SessionPlace): Binding
}

export function createConnectorViews(options: {
  readonly resolver: Resolver
  /** Hides secrets in a text that was stored before the hub knew them. */
  readonly withoutSecrets: (text: string) => string
  readonly sessionsOf: (connector: string) => Promise<readonly BoundSession[]>
  readonly upstreamOf: (sessionId: string, label: string) => UpstreamFacts | undefined
}): ConnectorViews {
  const { resolver, withoutSecrets, sessionsOf, upstreamOf } = options

  function shown(overrides: Overrides): Overrides {
    const { endpoint } = overrides
    return {
      ...mapTexts(overrides, withoutSecrets),
      ...(endpoint !== undefined && { endpoint: withoutSecrets(endpoint) }),
    }
  }

  return {
    async connector({ connector }) {
      const bound = await sessionsOf(connector.name)
      const upstreams = bound.flatMap(({ id, label }) => upstreamOf(id, label) ?? [])
      return {
        ...mapTexts(connector, withoutSecrets),
        upstream: worst(upstreams),
        sessions: [...new Set(bound.map(({ name }) => name))],
      }
    },
    binding({ connector, label, overrides, priority, sessionId }, session) {
      const { redacted, missing } = resolver.preview(connector.connector, overrides, session)
      const upstream = upstreamOf(sessionId, label)
      return {
        session: session.name,
        connector: connector.connector.name,
        label,
        overrides: shown(overrides),
        priority,
        resolved: { ...redacted, ...(missing.length > 0 && { missing }) },
        ...(upstream && { upstream: boundUpstream(upstream) }),
      }
    },
  }
}

function worst(upstreams: readonly UpstreamFacts[]): ConnectorView['upstream'] {
  const order = ['failed', 'initializing', 'running'] as const
  const found = order.flatMap((is) => upstreams.find(({ status }) => status.is === is) ?? [])[0]
  if (!found) return { is: 'stopped' }
  const [breach] = upstreams
    .flatMap((upstream) => upstream.breach ?? [])
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
  const warning = upstreams.find((upstream) => upstream.warning !== undefined)?.warning
  return statusOf({ status: found.status, identity: found.identity, breach, ...(warning !== undefined && { warning }) })
}

function boundUpstream(upstream: UpstreamFacts): NonNullable<Binding['upstream']> {
  const { stderr, dropped } = upstream
  return { ...statusOf(upstream), ...(stderr !== '' && { stderr }), ...(dropped > 0 && { dropped }) }
}

function statusOf(facts: Pick<UpstreamFacts, 'status' | 'identity' | 'breach' | 'warning'>) {
  const { status, identity, breach, warning } = facts
  const { is, reason, retryAt } = status
  return {
    is,
    ...(reason !== undefined && { reason }),
    ...(identity && { era: identity.era, version: identity.version }),
    ...(retryAt !== undefined && { retry_at: retryAt }),
    ...(breach && { breach: { ...breach } }),
    ...(warning !== undefined && { warning }),
  }
}
