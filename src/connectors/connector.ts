/** The interface of connectors, for the hub and for the connector tools. */
import type { Binding, BoundConnector, ConnectorUse, LegacyMcps } from '../api/connector.ts'
import type { Feature } from '../feature/feature.ts'
import type { UpstreamFacts, UpstreamTarget } from '../upstream/upstream.ts'
import type { BindOptions } from './bindings.ts'
import type { CallConnectorTool } from './call-tool.ts'
import type { Imports } from './import-connectors.ts'
import type { KnownLists } from './known-lists.ts'
import type { Registry } from './registry.ts'
import type { Resolution } from './resolve.ts'
import type { RestartConnector, RestartUpstreams } from './restart-connector.ts'
import type { TryOut } from './try-out.ts'

export interface Connectors extends Feature {
  /** The bindings of a session, sorted by label, including disabled connectors. */
  bindingsOf(sessionId: string): Promise<readonly BoundConnector[]>
  /** The enabled ones, resolved. A connector that cannot be resolved has the reason instead of a target. */
  mountsOf(sessionId: string): Promise<readonly MountedConnector[]>
  /** The bindings in the form in which another session can be given the same ones. */
  usesOf(sessionId: string): Promise<readonly ConnectorUse[]>
  /**
   * For a session that is stored but whose program has not started. Binds all or none. `by`: the person who named the
   * connectors for this session, and so allows them there. Returns why some of them do not start.
   */
  bindAll(session: string, uses: readonly ConnectorUse[], by?: string): Promise<readonly string[]>
  bindLegacyMap(session: string, map: LegacyMcps, by?: string): Promise<void>

  /** The only way to get a configuration. Throws if the connector is disabled or a variable is not set. */
  resolve(session: string, label: string): Promise<Resolution>
  /** A connector without a binding: for a person, or for the agent of a session by an action that a person configured. */
  resolveAlone(name: string, session?: string): Promise<LoneConnector>
  /** Throws if there is no such connector. */
  assertThere(name: string): Promise<void>

  /** The variables of the hub's environment that any connector or any override names. */
  variables(): Promise<ReadonlySet<string>>

  saveLists(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  loadLists(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
  /** The last lists of each connector, with the label that a binding gets. `undefined`: it was never reached. */
  lastLists(): Promise<readonly { readonly label: string; readonly lists: KnownLists | undefined }[]>
  /** Drops cached lists that contain a secret, which an earlier hub may have stored. */
  dropKeptSecrets(): Promise<void>

  /**
   * The operations of people on connectors, and their tools. They show the state of the upstreams, which the gateway
   * knows.
   */
  createDesk(upstreams: LiveUpstreams): ConnectorDesk
}

export interface MountedConnector extends BoundConnector, Pick<Resolution, 'fingerprint' | 'version'> {
  /** Or the reason why it cannot be reached. */
  readonly target: UpstreamTarget | Error
}

export interface LoneConnector extends Pick<Resolution, 'target' | 'fingerprint'> {
  /** False: its filter, or that of every binding of the session, leaves the tool out. */
  allows(tool: string): boolean
  /** The mounts under which the policy of the session may name its tools. */
  readonly mounts: readonly string[]
}

export interface ConnectorDesk extends Pick<Registry, 'list' | 'find' | 'save' | 'delete'>, Feature {
  readonly imports: Imports
  readonly tryOut: TryOut
  /** Calls a tool for a person. */
  readonly callTool: CallConnectorTool
  /** Allows its program outside of the sandboxes of confined sessions, with what bindings change in it, or no longer. */
  allow(name: string, isAllowed: boolean, by: string): Promise<void>
  /** Forgets the login at its server. */
  logOut(name: string): void
  /** Each binding with its resolved configuration, without secrets, and the state of its upstream. */
  describeBindings(session: string): Promise<readonly Binding[]>
  /**
   * Binding the same connector under the same label again updates the binding. `by`: the person who binds it, and so
   * allows its program in confined sessions.
   */
  bind(session: string, connector: string, options?: BindOptions, by?: string): Promise<Binding>
  /** The binding that `bind` would make, without storing it. Throws where `bind` would. */
  planBinding(session: string, connector: string, options?: BindOptions): Promise<Binding>
  /** Returns the removed binding. */
  unbind(session: string, label: string): Promise<Binding>
  readonly restart: RestartConnector
}

/** The running upstreams, which the gateway owns. */
export interface LiveUpstreams {
  /** `undefined` if it has not been used yet. */
  upstreamOf(sessionId: string, label: string): UpstreamFacts | undefined
  readonly restart: RestartUpstreams
}
