/** Connectors and bindings as people see them: with the state of their upstreams and without secrets. */
import type {
  Binding,
  Connector,
  ConnectorDetail,
  ConnectorVariable,
  ConnectorView,
  Overrides,
} from '../api/connector.ts'
import { createToolTest } from '../api/tool-filter.ts'
import type { UpstreamFacts } from '../upstream/upstream.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { Consents } from './consents.ts'
import type { KnownLists } from './known-lists.ts'
import { merge } from './merge.ts'
import type { Resolver, SessionPlace } from './resolve.ts'
import { mapTexts } from './texts/connector-texts.ts'
import { namedVariables } from './texts/references.ts'
import { toolFilterOf } from './tool-filter.ts'

export interface ConnectorViews {
  connector(record: ConnectorRecord): Promise<ConnectorView>
  detail(record: ConnectorRecord): Promise<ConnectorDetail>
  binding(record: Omit<BindingRecord, 'id'>, session: SessionPlace): Promise<Binding>
}

export function createConnectorViews(options: {
  readonly resolver: Resolver
  /** Hides secrets in a text that was stored before the hub knew them. */
  readonly withoutSecrets: (text: string) => string
  readonly sessionsOf: (connector: string) => Promise<readonly BoundSession[]>
  readonly consents: Pick<Consents, 'find'>
  readonly upstreamOf: (sessionId: string, label: string) => UpstreamFacts | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The place of a connector without a session. */
  readonly nowhere: SessionPlace
  readonly listsOf: (connectorId: string, version: string) => Promise<KnownLists | undefined>
  readonly logins: ConnectorLogins
}): ConnectorViews {
  const { resolver, withoutSecrets, sessionsOf, consents, upstreamOf, environment, nowhere, listsOf, logins } = options

  function variablesOf(connector: Connector, missing: readonly string[]): ConnectorVariable[] {
    const stateOf = (name: string) =>
      environment[name] !== undefined ? 'set' : missing.includes(name) ? 'missing' : 'default'
    return [...new Set(namedVariables(connector))].map((name) => ({ name, state: stateOf(name) }))
  }

  function loginOf(name: string): Pick<ConnectorView, 'login'> {
    const address = logins.pending(name)
    if (address !== undefined) return { login: { is: 'wanted', address } }
    return logins.isKept(name) ? { login: { is: 'kept' } } : {}
  }

  /** Given to its own program, unless a session waits for it. */
  async function consentOf({ id, connector }: ConnectorRecord, bound: readonly BoundSession[]) {
    const wished = [...bound, { overrides: {}, confined: {} }]
    const found = await Promise.all(wished.map((each) => consents.find(id, merge(connector, each.overrides), each)))
    const wanted = found.slice(0, -1).find((each) => each?.is === 'wanted')
    const consent = wanted ?? found.find((each) => each?.is === 'given')
    return consent && { consent }
  }

  async function view(record: ConnectorRecord) {
    const { id, connector } = record
    const bound = await sessionsOf(connector.name)
    const upstreams = bound.flatMap(({ id: session, name, label }) => {
      const facts = upstreamOf(session, label)
      return facts ? [{ session: name, label, facts }] : []
    })
    const { missing, version, fingerprint } = resolver.preview(connector, {}, nowhere)
    const lists = await listsOf(id, version)
    const isOffered = createToolTest(toolFilterOf(connector.options))
    const shown: ConnectorView = {
      ...mapTexts(connector, withoutSecrets),
      upstream: worst(upstreams.map(({ facts }) => facts)),
      sessions: [...new Set(bound.map(({ name }) => name))],
      variables: variablesOf(connector, missing),
      ...(lists && { tools: namesOf(lists).filter(isOffered) }),
      ...(connector.transport !== 'stdio' && loginOf(connector.name)),
      ...(await consentOf(record, bound)),
    }
    return { shown, lists, upstreams, fingerprint }
  }

  function shown(overrides: Overrides): Overrides {
    const { endpoint } = overrides
    return {
      ...mapTexts(overrides, withoutSecrets),
      ...(endpoint !== undefined && { endpoint: withoutSecrets(endpoint) }),
    }
  }

  return {
    connector: async (record) => (await view(record)).shown,
    async detail(record) {
      const { shown, lists, upstreams, fingerprint } = await view(record)
      const tried = await listsOf(record.id, fingerprint)
      return {
        ...shown,
        ...(lists && {
          offers: {
            ...offersOf(lists),
            ...resourcesOf(
              upstreams.map(({ facts }) => facts),
              tried,
            ),
          },
        }),
        upstreams: upstreams.map(({ session, label, facts }) => ({
          session,
          label,
          ...boundUpstream(facts),
          output: { lines: facts.output.lines.map((line) => ({ ...line })), total: facts.output.total },
        })),
      }
    },
    async binding({ connector, label, overrides, priority, sessionId }, session) {
      const consent = await consents.find(connector.id, merge(connector.connector, overrides), session)
      const { redacted, missing } = resolver.preview(connector.connector, overrides, session)
      const upstream = upstreamOf(sessionId, label)
      return {
        session: session.name,
        connector: connector.connector.name,
        label,
        overrides: shown(overrides),
        priority,
        resolved: { ...redacted, ...(missing.length > 0 && { missing }) },
        ...(consent && { consent }),
        ...(upstream && { upstream: boundUpstream(upstream) }),
      }
    },
  }
}

export interface ConnectorLogins {
  /** The address that a person has to open, while a login is pending. */
  pending(connector: string): string | undefined
  isKept(connector: string): boolean
  forget(connector: string): void
}

function namesOf({ tools }: KnownLists): string[] {
  return tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}

type Offers = NonNullable<ConnectorDetail['offers']>

function offersOf({ tools, prompts }: KnownLists): Pick<Offers, 'tools' | 'prompts'> {
  return { tools: copied(tools), prompts: copied(prompts) }
}

/** Those of all its upstreams, each once. Without a running one, those of the last test. */
function resourcesOf(
  upstreams: readonly UpstreamFacts[],
  tried: KnownLists | undefined,
): Pick<Offers, 'resources' | 'resource_templates'> {
  const resources = upstreams.flatMap((upstream) => upstream.resources ?? [])
  const templates = upstreams.flatMap((upstream) => upstream.resourceTemplates ?? [])
  const isLive = upstreams.some(({ status }) => status.is === 'running')
  return {
    resources: copied(distinct(isLive ? resources : (tried?.resources ?? resources))),
    resource_templates: copied(distinct(isLive ? templates : (tried?.resourceTemplates ?? templates))),
  }
}

function distinct(entries: readonly object[]): readonly object[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

function copied(entries: readonly object[]): Record<string, unknown>[] {
  return entries.map((entry) => ({ ...entry }))
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
