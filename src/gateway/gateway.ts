/**
 * The gateway: what the agent of a session sees of everything its session is bound to, and the gate in front of it.
 *
 *   agent → face of its session → gate (policy, record, approval) → mount → upstream
 */
import type { Log } from '../base/log.ts'
import type { Feature, SignalSender } from '../feature/feature.ts'
import type { Gate } from '../gate/gate.ts'
import type { FaceContents, Layer, Notices, ToolInfo } from '../mcp/mcp.ts'
import type { KnownMount } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import type { Upstream, UpstreamFacts, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import { createGateLayer } from './gate-layer.ts'
import type { KnownNames } from './kept-names.ts'
import { findKeptNames } from './kept-names.ts'
import type { MountLists } from './mount-lists.ts'
import { forAnySession } from './mount-lists.ts'
import { type ConnectorLists, knownMounts } from './known-mounts.ts'
import { createMountStates } from './mount-states.ts'
import { factsOf } from './own-resources.ts'
import { createQuestionGate } from './question-gate.ts'
import { createRelayedCalls } from './relayed-call.ts'
import { createResourcesMount } from './resources-mount.ts'
import { createSearchProvider } from './search-tools.ts'
import type { SessionMounts } from './session-mounts.ts'
import { createSessionMounts } from './session-mounts.ts'
import { createSessionRoots } from './session-roots.ts'
import type { Compositors, SessionToolsOptions } from './session-tools.ts'
import { createSessionToolsProvider } from './session-tools.ts'
import { createSharedUpstreams } from './shared-upstreams.ts'
import { createSubscriptionStore } from './subscription-store.ts'
import type { Subscriptions } from './subscriptions.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { Foresight } from './visible-tools.ts'
import { visibleTools } from './visible-tools.ts'

export type { ResolvedConnector } from './bound-connector.ts'
export type { MountLists } from './mount-lists.ts'
export { mountUri } from './mount-uri.ts'
export { refusalError } from './policy-errors.ts'
export { createRequestOnce } from './request-once.ts'
export { createSearchProvider } from './search-tools.ts'
export { createTrial } from './try-upstream.ts'

export interface Gateway extends Feature, AsyncDisposable {
  /** Around every call of an agent, however it arrives. */
  readonly layer: Layer
  /** The tools for people that show what agents see. */
  createTools(compositors: Compositors): Feature
  /** Restarts the upstreams of a connector, in all sessions or in one. Returns the sessions that use them. */
  restart(connector: string, session?: string): Promise<readonly MountPlace[]>
  /** A tool as policies name it, with its other names, from that name or the one that the agent sees. */
  namesOf(session: string, tool: string): Promise<KnownNames>
  /** The mounts of all sessions and connectors, with the policy names of the tools that were ever listed. */
  known(): Promise<readonly KnownMount[]>
  /** The tools of a session, without those that its policy denies for all arguments. */
  visible<Shown extends ToolInfo>(session: string, tools: readonly Shown[]): Promise<readonly Shown[]>
  /** The upstream of a binding; `undefined` until the session has used it. */
  upstreamOf(session: string, label: string): UpstreamFacts | undefined
}

export interface GatewayOptions extends Pick<SessionToolsOptions, 'findSession'> {
  readonly store: Store
  readonly gate: Gate
  readonly notices: Notices
  readonly log: Log
  /** Of a connector, as it stands in the environment. */
  readonly holdsSecret: (text: string) => boolean
  readonly faceIdOf: (session: string) => string
  readonly policies: { predict(session: string): Promise<Foresight> }
  readonly connectors: MountSource
  readonly upstreams: { open(target: UpstreamTarget, listener: UpstreamListener): Upstream }
  readonly signals: SignalSender
  /** Of the lists of one upstream, as JSON. */
  readonly maxListBytes: number
  /** That an agent may follow with its tools. */
  readonly maxSubscriptions: number
}

/** The connectors that sessions are bound to, and the lists that are kept of them. */
export interface MountSource {
  mountsOf(session: string): Promise<readonly ResolvedConnector[]>
  loadLists(connectorId: string, version: string): Promise<MountLists | undefined>
  saveLists(connectorId: string, version: string, lists: MountLists): Promise<void>
  /** The last lists of each connector. */
  lastLists(): Promise<readonly ConnectorLists[]>
}

export interface MountPlace {
  readonly session: string
  readonly label: string
}

/** Lists but the first of a client wait so long for upstreams that are starting; what is missing then comes by notice. */
const graceMs = 1_000

interface Open {
  readonly face: FaceContents
  readonly mounts: SessionMounts
  readonly subscriptions: Subscriptions
}

export function createGateway(options: GatewayOptions): Gateway {
  const { notices, log, faceIdOf, connectors, policies, signals } = options
  const calls = createRelayedCalls()
  const upstreams = createSharedUpstreams((target, listener) => options.upstreams.open(target, listener))
  const store = createSubscriptionStore(options.store)
  const open = new Map<string, Open>()

  const known = async ({ connectorId, fingerprint, version }: ResolvedConnector) =>
    (await connectors.loadLists(connectorId, fingerprint)) ?? connectors.loadLists(connectorId, version)

  async function keep({ connectorId, fingerprint, version }: ResolvedConnector, lists: MountLists): Promise<void> {
    await connectors.saveLists(connectorId, fingerprint, lists)
    await connectors.saveLists(connectorId, version, forAnySession(lists))
  }

  function openSession(session: string, face: FaceContents): Open {
    const faceId = faceIdOf(session)
    const mounts = createSessionMounts({
      session,
      faceId,
      // One that has ended has no face any more, and nothing of its upstreams is shown.
      ownResources: () => (open.has(session) ? face.ownResources() : () => true),
      bindings: () => connectors.mountsOf(session),
      known,
      keep,
      maxListBytes: options.maxListBytes,
      upstreams,
      calls,
      questions: createQuestionGate(options.gate, session),
      roots: createSessionRoots(() => options.findSession(session)),
      notices,
      log,
      graceMs,
      onStatusChange: (connector) => signals.emit('upstream-changed', { session, connector }),
      onOutput: (connector) => signals.emit('upstream-output', { connector }),
      onResourceChange: (mount, uri) => subscriptions.noteChange(mount, uri),
      onMount: (mount) => subscriptions.followAgain(mount),
    })
    const subscriptions = createSubscriptions({
      session,
      faceId,
      max: options.maxSubscriptions,
      store,
      holdsSecret: options.holdsSecret,
      notices,
      log,
      mounts: () => mounts,
      face,
    })
    const opened = { face, mounts, subscriptions }
    open.set(session, opened)
    return opened
  }

  return {
    createTools: (compositors) => ({
      providers: [
        createSessionToolsProvider({
          findSession: options.findSession,
          policies,
          compositors,
          mountsOf: (session) => open.get(session)?.mounts.mounts ?? [],
        }),
      ],
    }),
    layer: createGateLayer(options.gate),
    providersOf(session, face) {
      const { mounts, subscriptions } = openSession(session, face)
      return [
        createResourcesMount(mounts, subscriptions, face),
        createMountStates(mounts, face),
        mounts.provider,
        createSearchProvider(face),
      ]
    },
    async restart(connector, only) {
      const mounted = [...open].flatMap(([session, { mounts }]) => mounts.mounts.map((mount) => ({ session, mount })))
      const upstreams = new Set(
        mounted
          .filter(({ session, mount }) => mount.bound.connector === connector && (only ?? session) === session)
          .flatMap(({ mount }) => mount.upstream ?? []),
      )
      await Promise.allSettled([...upstreams].map((upstream) => upstream.restart()))
      // Restarting a shared upstream affects other sessions too.
      return mounted.flatMap(({ session, mount: { bound, upstream } }) =>
        upstream && upstreams.has(upstream) ? [{ session, label: bound.label }] : [],
      )
    },
    visible: (session, tools) => visibleTools(tools, () => policies.predict(session)),
    async namesOf(session, tool) {
      const names = open.get(session)?.mounts.namesOf(tool)
      return names ?? findKeptNames(tool, await connectors.mountsOf(session), known)
    },
    async known() {
      const faces = [...open.values()].map(({ face }) => face)
      return knownMounts(faces, await connectors.lastLists())
    },
    upstreamOf(session, label) {
      const mounts = open.get(session)?.mounts
      const mount = mounts?.mounts.find(({ bound }) => bound.label === label)
      return mounts && mount && factsOf(mount, mounts.ownResources())
    },
    on: {
      // In a session that has not used its mounts yet, nothing starts.
      'bindings-changed': async ({ session }) => open.get(session)?.mounts.refresh(),
      'policy-saved'() {
        for (const session of open.keys()) notices.listChanged('tools', faceIdOf(session))
      },
      async 'session-ended'({ session }) {
        const closing = open.get(session)
        open.delete(session)
        await closing?.mounts[Symbol.asyncDispose]()
      },
    },
    async [Symbol.asyncDispose]() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map(({ mounts }) => mounts[Symbol.asyncDispose]()))
    },
  }
}
