/** The operations of people on connectors and bindings. Results show the state of the upstreams and no secrets. */
import { HubError } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { Feature } from '../feature/feature.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import type { EventLog } from '../events/events.ts'
import { createCallTool, type RequestOnce } from './call-tool.ts'
import type { BoundSession } from './binding-store.ts'
import type { Bindings, PlannedBinding } from './bindings.ts'
import type { ConnectorDesk, LiveUpstreams } from './connector.ts'
import { type Consents, startsOutside } from './consents.ts'
import { createConnectorProvider } from './connector-provider.ts'
import { type ConnectorLogins, createConnectorViews } from './connector-views.ts'
import { merge } from './merge.ts'
import { createImports } from './import-connectors.ts'
import type { KnownLists } from './known-lists.ts'
import type { Note, Registry } from './registry.ts'
import type { Resolver, SessionPlace } from './resolve.ts'
import { createRestart } from './restart-connector.ts'
import { createTryOut, type Trial } from './try-out.ts'

export interface ConnectorDeskOptions {
  readonly registry: Registry
  readonly bindings: Bindings
  readonly consents: Consents
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
  readonly bindingsChanged: (session: Pick<SessionPlace, 'id' | 'name'>, connectors: readonly string[]) => void
}

export function createConnectorDesk(options: ConnectorDeskOptions): ConnectorDesk {
  const { registry, bindings, consents, sessionsOf, resolver, findSession, upstreams, environment, redactor, note } =
    options
  const findConnector: Registry['find'] = (name) => registry.find(name)
  const views = createConnectorViews({
    resolver,
    withoutSecrets: (text) => withoutKnownSecrets(redactor, text),
    sessionsOf,
    consents,
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
    async allow(name, isAllowed, by) {
      const { id, connector } = await registry.find(name)
      const bound = await sessionsOf(name)
      const programs = [connector, ...bound.map(({ overrides }) => merge(connector, overrides))].filter(startsOutside)
      if (isAllowed && programs.length === 0) {
        const why = connector.transport === 'stdio' ? 'its program is confined' : 'it starts no program'
        throw new HubError('invalid', `"${name}" needs no consent: ${why}.`)
      }
      if (isAllowed) for (const program of programs) await consents.give(id, program, by)
      else await consents.withdraw(id)
      for (const session of bound) options.bindingsChanged(session, [name])
      options.changed(name)
    },
    logOut(name) {
      options.logins.forget(name)
      options.changed(name)
    },
    async describeBindings(nameOrId) {
      const session = await findSession(nameOrId)
      return Promise.all((await bindings.list(session.id)).map((binding) => views.binding(binding, session)))
    },
    async bind(nameOrId, connector, given = {}, by) {
      const session = await findSession(nameOrId)
      const binding = await bindings.bind(session, connector, given)
      const merged = merge(binding.connector.connector, binding.overrides)
      const consent = await consents.find(binding.connector.id, merged, session)
      if (consent?.is === 'wanted' && by !== undefined) await consents.give(binding.connector.id, merged, by)
      await options.bound(session, [{ connector, label: binding.label }])
      return views.binding(binding, session)
    },
    async planBinding(nameOrId, name, given = {}) {
      const [session, connector] = [await findSession(nameOrId), await findConnector(name)]
      return views.binding({ ...(await bindings.plan(session, name, given)), connector }, session)
    },
    async unbind(nameOrId, label) {
      const session = await findSession(nameOrId)
      const { upstream: _ended, ...unbound } = await views.binding(await bindings.unbind(session, label), session)
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
