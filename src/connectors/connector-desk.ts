/** The operations of people on connectors and bindings. Results show the state of the upstreams and no secrets. */
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { Feature } from '../feature/feature.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import type { EventLog } from '../events/events.ts'
import { createCallTool, type RequestOnce } from './call-tool.ts'
import type { BoundSession } from './binding-store.ts'
import type { Bindings, PlannedBinding } from './bindings.ts'
import type { ConnectorDesk, LiveUpstreams } from './connector.ts'
import { createConnectorProvider } from './connector-provider.ts'
import { type ConnectorLogins, createConnectorViews } from './connector-views.ts'
import { createImports } from './import-connectors.ts'
import type { KnownLists } from './known-lists.ts'
import type { Note, Registry } from './registry.ts'
import type { Resolver, SessionPlace } from './resolve.ts'
import { createRestart } from './restart-connector.ts'
import { createTryOut, type Trial } from './try-out.ts'

export interface ConnectorDeskOptions {
  readonly registry: Registry
  readonly bindings: Bindings
  readonly sessionsOf: (connector: string) => Promise<readonly BoundSession[]>
  readonly resolver: Resolver
  readonly findSession: (nameOrId: string) => Promise<SessionPlace>
  readonly upstreams: LiveUpstreams
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The person's home directory on this machine, where other programs keep their files. */
  readonly home: string
  /** The place for trying out a connector without a session. */
  readonly nowhere: SessionPlace
  readonly redactor: Pick<Redactor, 'addSecret' | 'text' | 'forPerson'>
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<Trial>
  readonly request: RequestOnce
  readonly logins: ConnectorLogins
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  readonly keepLists: (connectorId: string, version: string, lists: KnownLists) => Promise<void>
  readonly listsOf: (connectorId: string, version: string) => Promise<KnownLists | undefined>
  /** Notifies the subscribers of a connector. */
  readonly changed: (connector: string) => void
  readonly note: Note
  readonly bound: (
    session: SessionPlace,
    planned: readonly Pick<PlannedBinding, 'connector' | 'label'>[],
  ) => Promise<void>
  readonly bindingsChanged: (session: SessionPlace, connectors: readonly string[]) => void
}

export function createConnectorDesk(options: ConnectorDeskOptions): ConnectorDesk {
  const { registry, bindings, sessionsOf, resolver, findSession, upstreams, environment, redactor, note } = options
  const findConnector: Registry['find'] = (name) => registry.find(name)
  const views = createConnectorViews({
    resolver,
    withoutSecrets: (text) => withoutKnownSecrets(redactor, text),
    sessionsOf,
    upstreamOf: (session, label) => upstreams.upstreamOf(session, label),
    environment,
    nowhere: options.nowhere,
    listsOf: options.listsOf,
    logins: options.logins,
  })
  const placeOf = async (session: string | undefined) =>
    session === undefined ? options.nowhere : findSession(session)
  const desk: Omit<ConnectorDesk, keyof Feature> = {
    list: () => registry.list(),
    find: findConnector,
    save: (input) => registry.save(input),
    delete: (name) => registry.delete(name),
    imports: createImports({ registry, environment }),
    tryOut: createTryOut({
      find: findConnector,
      placeOf,
      resolver,
      test: options.test,
      keep: options.keepLists,
      redactor,
    }),
    callTool: createCallTool({
      find: findConnector,
      placeOf,
      resolver,
      request: options.request,
      events: options.events,
      redactor,
    }),
    logOut(name) {
      options.logins.forget(name)
      options.changed(name)
    },
    async describeBindings(nameOrId) {
      const session = await findSession(nameOrId)
      return (await bindings.list(session.id)).map((binding) => views.binding(binding, session))
    },
    async bind(nameOrId, connector, given = {}) {
      const session = await findSession(nameOrId)
      const binding = await bindings.bind(session, connector, given)
      await options.bound(session, [{ connector, label: binding.label }])
      return views.binding(binding, session)
    },
    async planBinding(nameOrId, name, given = {}) {
      const [session, connector] = [await findSession(nameOrId), await findConnector(name)]
      return views.binding({ ...(await bindings.plan(session, name, given)), connector }, session)
    },
    async unbind(nameOrId, label) {
      const session = await findSession(nameOrId)
      const { upstream: _ended, ...unbound } = views.binding(await bindings.unbind(session, label), session)
      await note({ type: 'connector-unbound', session: session.id, payload: { connector: unbound.connector, label } })
      options.bindingsChanged(session, [unbound.connector])
      return unbound
    },
    restart: createRestart({
      findConnector,
      findSession,
      findBinding: (session, label) => bindings.find(session, label),
      sessionsOf,
      restartUpstreams: (connector, session) => upstreams.restart(connector, session),
      views,
      note,
    }),
  }
  return { ...desk, providers: [createConnectorProvider({ connectors: desk, views, home: options.home })] }
}
