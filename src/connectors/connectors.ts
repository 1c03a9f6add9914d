/**
 * Connectors: the MCP servers that sessions may use, registered once, bound to sessions with what each changes, and
 * resolved to the one configuration that an upstream is opened with.
 */
import { tmpdir } from 'node:os'
import type { Binding, Connector, ConnectorUse, LegacyMcps } from '../api/connector.ts'
import { holdsKnownSecret, withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices, Provider, UpstreamFacts, UpstreamTarget } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { type BindingRecord, createBindingStore } from './binding-store.ts'
import { type BindOptions, createBindings, type PlannedBinding } from './bindings.ts'
import { refuseTexts } from './check-connector.ts'
import { createConnectorNotices } from './connector-notices.ts'
import { createConnectorProvider } from './connector-provider.ts'
import { createConnectorStore } from './connector-store.ts'
import type { Texts } from './connector-texts.ts'
import { createConnectorViews } from './connector-views.ts'
import { createImports, type Imports } from './import-connectors.ts'
import { createKnownListStore, type KnownLists } from './known-lists.ts'
import { createRegistry, type Note, type Registry } from './registry.ts'
import { createResolver, type Resolution, type SessionPlace } from './resolve.ts'
import { createRestart, type RestartConnector, type RestartUpstreams } from './restart-connector.ts'
import { createTryOut, type Trial, type TryOut } from './try-out.ts'

export { exportConnectors, exportFormats } from './formats/export.ts'
export { foreignPrograms, readForeignFiles } from './foreign-files.ts'
export type { KnownLists } from './known-lists.ts'
export type { Resolution, SessionPlace } from './resolve.ts'
export type { Trial } from './try-out.ts'

export interface Connectors extends Pick<Registry, 'list' | 'find' | 'save' | 'delete'> {
  readonly imports: Imports
  readonly tryOut: TryOut

  /** What a session is bound to, in the order of labels; those that are switched off, too. */
  bindingsOf(sessionId: string): Promise<readonly BoundConnector[]>
  /** The same for people: what each comes to without secrets, and how its upstream is. */
  describeBindings(session: string): Promise<readonly Binding[]>
  /** The same connector under the same label again changes what is there. */
  bind(session: string, connector: string, options?: BindOptions): Promise<Binding>
  /** Answers what it was. */
  unbind(session: string, label: string): Promise<Binding>
  readonly restart: RestartConnector
  /** For a session whose record is there and whose program is not: all of them or none. */
  bindAtBirth(session: string, uses: readonly ConnectorUse[]): Promise<void>
  bindLegacyMap(session: string, map: LegacyMcps): Promise<void>

  /** The only way to a configuration. Throws where it is switched off, or a variable is not set. */
  resolve(session: string, label: string): Promise<Resolution>

  saveLists(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  loadLists(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
  /** Lists in which an upstream told its secrets, as an earlier hub kept them. */
  dropKeptSecrets(): Promise<void>
  /** The upstream of a binding has another status: those who watch are told. */
  upstreamChanged(session: Pick<SessionPlace, 'id' | 'name'>, connector: string): void

  /** For people. */
  readonly provider: Provider
}

/** A mount of a session's compositor. */
export interface BoundConnector {
  readonly label: string
  readonly priority: number
  readonly connectorId: string
  readonly connector: string
  readonly isEnabled: boolean
  /** One upstream for all sessions with the same fingerprint. */
  readonly isShared: boolean
  /** False: its tools keep their names, where it is the only one. */
  readonly hasPrefix: boolean
}

export interface ConnectorsOptions {
  readonly store: Store
  readonly notices: Notices
  readonly events?: Pick<EventLog, 'append'>
  /** The hub's own: where `${VAR}` and env_keys are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What programs get in any case: PATH, HOME … */
  readonly baseEnvironment: Readonly<Record<string, string>>
  readonly redactor: Pick<Redactor, 'addSecret' | 'text' | 'forPerson'>
  /** By name or id; throws where there is none. */
  readonly findSession: (nameOrId: string) => Promise<SessionPlace>
  /** `undefined` where nobody has used it yet. */
  readonly upstreamOf?: (sessionId: string, label: string) => UpstreamFacts | undefined
  readonly restartUpstreams: RestartUpstreams
  /** Opens an upstream, asks what it offers and closes it. */
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<Trial>
  /** What was kept for it elsewhere can go. */
  readonly onRemoved?: (name: string) => void
  /** What the session is bound to, or how, is another now. */
  readonly onBindingsChange: (sessionId: string) => void
}

export function createConnectors(options: ConnectorsOptions): Connectors {
  const { store, events, environment, baseEnvironment, redactor, findSession, onBindingsChange } = options
  const rows = createConnectorStore(store)
  const bindingRows = createBindingStore(store)
  const holdsSecret = (text: string) => holdsKnownSecret(redactor, text)
  const knownLists = createKnownListStore(store, holdsSecret)
  const resolver = createResolver({ environment, baseEnvironment, redactor })
  const tell = createConnectorNotices(options.notices)
  const note: Note = async (type, payload, session) =>
    void (await events?.append({ type, payload, ...(session !== undefined && { session }) }))

  function refuseKnown(connector: Connector, written: Texts = connector): void {
    // What its own variables stand for is known from here on.
    resolver.preview(connector, {}, nowhere)
    refuseTexts(connector.name, written, holdsSecret)
  }

  const registry = createRegistry({
    connectors: rows,
    bindings: bindingRows,
    tell,
    note,
    refuseKnown,
    onRemoved: options.onRemoved ?? (() => {}),
    onBindingsChange,
  })
  const bindings = createBindings({
    connectors: rows,
    bindings: bindingRows,
    findConnector: (name) => registry.find(name),
    refuseKnown,
    async onRegistered(connector) {
      await note('connector-saved', { connector })
      tell.connectors([connector.name])
    },
  })

  async function bound(session: SessionPlace, planned: readonly Pick<PlannedBinding, 'connector' | 'label'>[]) {
    for (const { connector, label } of planned) await note('connector-bound', { connector, label }, session.id)
    bindingsChanged(
      session,
      planned.map(({ connector }) => connector),
    )
  }

  function bindingsChanged(session: SessionPlace, connectors: readonly string[]): void {
    tell.session(session)
    tell.connectors(connectors)
    onBindingsChange(session.id)
  }

  const connectors: Omit<Connectors, 'provider'> = {
    list: () => registry.list(),
    find: (name) => registry.find(name),
    save: (input) => registry.save(input),
    delete: (name) => registry.delete(name),
    imports: createImports({ registry, environment }),
    tryOut: createTryOut({
      find: (name) => registry.find(name),
      placeOf: async (session) => (session === undefined ? nowhere : findSession(session)),
      resolver,
      test: options.test,
      redactor,
    }),
    bindingsOf: async (sessionId) => (await bindings.list(sessionId)).map(toBound),
    async describeBindings(nameOrId) {
      const session = await findSession(nameOrId)
      return (await bindings.list(session.id)).map((binding) => views.binding(binding, session))
    },
    async bind(nameOrId, connector, given = {}) {
      const session = await findSession(nameOrId)
      const binding = await bindings.bind(session, connector, given)
      await bound(session, [{ connector, label: binding.label }])
      return views.binding(binding, session)
    },
    async unbind(nameOrId, label) {
      const session = await findSession(nameOrId)
      const { upstream: _ended, ...unbound } = views.binding(await bindings.unbind(session, label), session)
      await note('connector-unbound', { connector: unbound.connector, label }, session.id)
      bindingsChanged(session, [unbound.connector])
      return unbound
    },
    restart: (name, session) => restart(name, session),
    async bindAtBirth(nameOrId, uses) {
      const session = await findSession(nameOrId)
      await bound(session, await bindings.bindAll(session, uses))
    },
    async bindLegacyMap(nameOrId, map) {
      const session = await findSession(nameOrId)
      await bound(session, await bindings.bindLegacyMap(session, map))
    },
    async resolve(nameOrId, label) {
      const session = await findSession(nameOrId)
      const { connector, overrides } = await bindings.find(session, label)
      return resolver.resolve(connector.connector, overrides, session)
    },
    saveLists: (id, fingerprint, lists) => knownLists.save(id, fingerprint, lists),
    loadLists: (id, fingerprint) => knownLists.load(id, fingerprint),
    async dropKeptSecrets() {
      for (const { connector } of await rows.list()) resolver.preview(connector, {}, nowhere)
      await knownLists.dropSecrets()
    },
    upstreamChanged(session, connector) {
      tell.session(session)
      tell.connectors([connector])
    },
  }
  const views = createConnectorViews({
    resolver,
    withoutSecrets: (text) => withoutKnownSecrets(redactor, text),
    sessionsOf: (name) => bindingRows.sessionsOf(name),
    upstreamOf: options.upstreamOf ?? (() => undefined),
  })
  const restart = createRestart({
    findConnector: (name) => registry.find(name),
    findSession,
    findBinding: (session, label) => bindings.find(session, label),
    sessionsOf: (name) => bindingRows.sessionsOf(name),
    restartUpstreams: options.restartUpstreams,
    views,
    note,
  })
  const provider = createConnectorProvider({ connectors, views, home: baseEnvironment['HOME'] ?? '/' })
  return { ...connectors, provider }
}

/** Where a connector is tried out that belongs to no session. */
const nowhere: SessionPlace = { id: 'test', name: 'test', workspacePath: tmpdir() }

function toBound({ label, priority, connectorId, connector, overrides }: BindingRecord): BoundConnector {
  const { name, enabled, options } = connector.connector
  return {
    label,
    priority,
    connectorId,
    connector: name,
    isEnabled: enabled,
    isShared: (overrides.options?.shared ?? options.shared) === true,
    hasPrefix: (overrides.options?.prefix ?? options.prefix) !== false,
  }
}
