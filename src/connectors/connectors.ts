/**
 * Connectors: the MCP servers that sessions may use, registered once, bound to sessions with what each changes, and
 * resolved to the one configuration that an upstream is opened with.
 */
import { tmpdir } from 'node:os'
import type { Connector, ConnectorUse, LegacyMcps } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices, Provider, UpstreamTarget } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import { createBindingStore } from './binding-store.ts'
import type { BindOptions } from './bindings.ts'
import { createBindings } from './bindings.ts'
import { checkConnector } from './check-connector.ts'
import { createBindingTools } from './binding-tools.ts'
import { createConnectorNotices } from './connector-notices.ts'
import { createConnectorResources } from './connector-resources.ts'
import type { ConnectorRecord } from './connector-store.ts'
import { createConnectorStore } from './connector-store.ts'
import { createConnectorTools } from './connector-tools.ts'
import { createConnectorViews, type UpstreamView } from './connector-views.ts'
import { createImports, type Imports } from './import-connectors.ts'
import { createImportTools } from './import-tools.ts'
import type { KnownLists } from './known-lists.ts'
import { createKnownListStore } from './known-lists.ts'
import { createResolver, type Resolution, type SessionPlace } from './resolve.ts'
import { createTryOut, type TestReport, type TryOut } from './try-out.ts'

export type { KnownLists } from './known-lists.ts'
export type { Resolution, SessionPlace } from './resolve.ts'
export type { TestReport } from './try-out.ts'
export { exportFormats, exportConnectors } from './formats/export.ts'
export { foreignPrograms, readForeignFiles } from './foreign-files.ts'

export interface Connectors {
  /** By name. */
  list(): Promise<readonly ConnectorRecord[]>
  find(name: string): Promise<ConnectorRecord>
  /** Adds it, or changes the one of that name. */
  save(input: unknown): Promise<ConnectorRecord>
  /** Answers who loses it. */
  delete(name: string): Promise<readonly BoundSession[]>
  readonly imports: Imports
  readonly tryOut: TryOut

  /** What a session is bound to, in the order of labels; those that are switched off, too. */
  bindingsOf(sessionId: string): Promise<readonly BoundConnector[]>
  /** The same connector under the same label again changes what is there. */
  bind(session: string, connector: string, options?: BindOptions): Promise<BindingRecord>
  unbind(session: string, label: string): Promise<BindingRecord>
  /** For a session whose record is there and whose program is not: all of them or none. */
  bindAtBirth(session: string, uses: readonly ConnectorUse[]): Promise<void>
  bindLegacyMap(session: string, map: LegacyMcps): Promise<void>

  /** The only way to a configuration. Throws where it is switched off, or a variable is not set. */
  resolve(session: string, label: string): Promise<Resolution>

  saveLists(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  loadLists(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
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
  readonly redactor: Pick<Redactor, 'addSecret' | 'text'>
  /** By name or id; throws where there is none. */
  readonly findSession: (nameOrId: string) => Promise<SessionPlace>
  readonly upstreamStatus?: (sessionId: string, label: string) => UpstreamView | undefined
  /** Opens an upstream, asks what it offers and closes it. Throws a sentence. */
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<TestReport>
  /** What the session is bound to, or how, is another now. */
  readonly onBindingsChange: (sessionId: string) => void
}

export function createConnectors(options: ConnectorsOptions): Connectors {
  const { store, events, environment, findSession, onBindingsChange } = options
  const rows = createConnectorStore(store)
  const bindingRows = createBindingStore(store)
  const knownLists = createKnownListStore(store)
  const resolver = createResolver(options)
  const tell = createConnectorNotices(options.notices)

  async function find(name: string): Promise<ConnectorRecord> {
    const found = await rows.find(name)
    if (found) return found
    const names = (await rows.list()).map(({ connector }) => connector.name)
    const there =
      names.length === 0 ? 'There are none yet; save_connector makes one.' : `There are ${names.join(', ')}.`
    throw new HubError('not-found', `There is no connector "${name}". ${there}`)
  }

  const note = async (type: string, payload: Readonly<Record<string, unknown>>, session?: string): Promise<void> =>
    void (await events?.append({ type, payload, ...(session !== undefined && { session }) }))

  /** Those who are bound to them are told; to what was removed nobody is bound any more, so who was is asked before. */
  async function change(save: readonly Connector[], remove: readonly string[]): Promise<readonly BoundSession[]> {
    const concerned = await Promise.all(
      [...save.map(({ name }) => name), ...remove].map(
        async (name) => [name, await bindingRows.sessionsOf(name)] as const,
      ),
    )
    await rows.apply({ save, remove })
    for (const connector of save) await note('connector-saved', { connector })
    for (const name of remove) await note('connector-deleted', { name })
    tell.connectors(concerned.map(([name]) => name))
    const sessions = concerned.flatMap(([, bound]) => bound)
    for (const session of sessions) tell.session(session)
    for (const id of new Set(sessions.map((session) => session.id))) onBindingsChange(id)
    return sessions
  }

  const bindings = createBindings({
    connectors: rows,
    bindings: bindingRows,
    findConnector: find,
    async onRegistered(connector) {
      await note('connector-saved', { connector })
      tell.connectors([connector.name])
    },
  })

  async function bindingsChanged(session: SessionPlace, connectors: readonly string[]): Promise<void> {
    tell.session(session)
    tell.connectors(connectors)
    onBindingsChange(session.id)
  }

  const connectors: Omit<Connectors, 'provider'> = {
    list: () => rows.list(),
    find,
    async save(input) {
      const connector = checkConnector(input)
      await change([connector], [])
      return find(connector.name)
    },
    async delete(name) {
      await find(name)
      return change([], [name])
    },
    imports: createImports({ list: () => rows.list(), change, environment }),
    tryOut: createTryOut({ find, findSession, resolver, test: options.test, redactor: options.redactor, nowhere }),
    async bindingsOf(sessionId) {
      return (await bindings.list(sessionId)).map(toBound)
    },
    async bind(nameOrId, connector, given = {}) {
      const session = await findSession(nameOrId)
      const binding = await bindings.bind(session, connector, given)
      await note('connector-bound', { connector, label: binding.label }, session.id)
      await bindingsChanged(session, [connector])
      return binding
    },
    async unbind(nameOrId, label) {
      const session = await findSession(nameOrId)
      const binding = await bindings.unbind(session, label)
      const { name } = binding.connector.connector
      await note('connector-unbound', { connector: name, label }, session.id)
      await bindingsChanged(session, [name])
      return binding
    },
    async bindAtBirth(nameOrId, uses) {
      const session = await findSession(nameOrId)
      await bindings.bindAll(session, uses)
      await bindingsChanged(
        session,
        uses.map((use) => (typeof use === 'string' ? use : use.connector)),
      )
    },
    async bindLegacyMap(nameOrId, map) {
      const session = await findSession(nameOrId)
      await bindings.bindLegacyMap(session, map)
      await bindingsChanged(session, [])
    },
    async resolve(nameOrId, label) {
      const session = await findSession(nameOrId)
      const { connector, overrides } = await bindings.find(session, label)
      return resolver.resolve(connector.connector, overrides, session)
    },
    saveLists: (id, fingerprint, lists) => knownLists.save(id, fingerprint, lists),
    loadLists: (id, fingerprint) => knownLists.load(id, fingerprint),
    upstreamChanged(session, connector) {
      tell.session(session)
      tell.connectors([connector])
    },
  }

  const views = createConnectorViews({
    resolver,
    sessionsOf: (name) => bindingRows.sessionsOf(name),
    upstreamStatus: options.upstreamStatus ?? (() => undefined),
  })
  const bindingsView = async (nameOrId: string) => {
    const session = await findSession(nameOrId)
    return (await bindings.list(session.id)).map((binding) => views.binding(binding, session))
  }
  const provider: Provider = {
    toolset: 'connectors',
    tools: (() => {
      const tools = [
        ...createConnectorTools({ connectors, views }),
        ...createImportTools(connectors.imports, () => options.baseEnvironment['HOME']),
        ...createBindingTools({ connectors, views, findSession, bindingsView }),
      ]
      return () => tools
    })(),
    ...createConnectorResources({ list: () => rows.list(), find: (name) => rows.find(name), views, bindingsView }),
  }
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
