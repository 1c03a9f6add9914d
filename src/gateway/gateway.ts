/**
 * The gateway: what the agent of a session sees of everything its session is bound to, and the gate in front of it.
 *
 *   agent → face of its session → gate (policy, record, approval) → mount → upstream
 */
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type {
  Face,
  Layer,
  Notices,
  Provider,
  Tool,
  Upstream,
  UpstreamFacts,
  UpstreamListener,
  UpstreamTarget,
} from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { BoundConnector } from './bound-connector.ts'
import type { GateOptions } from './gate.ts'
import { createGate } from './gate.ts'
import { createGateLayer } from './gate-layer.ts'
import type { KnownNames } from './kept-names.ts'
import { findKeptNames } from './kept-names.ts'
import type { MountLists } from './mount-lists.ts'
import { createMountStates } from './mount-states.ts'
import { factsOf } from './own-resources.ts'
import { createRelayedCalls } from './relayed-call.ts'
import { createResourcesMount } from './resources-mount.ts'
import { createSearchProvider } from './search-tools.ts'
import type { SessionMounts } from './session-mounts.ts'
import { createSessionMounts } from './session-mounts.ts'
import type { SessionToolsOptions } from './session-tools.ts'
import { createSessionToolsProvider } from './session-tools.ts'
import { createSharedUpstreams } from './shared-upstreams.ts'
import { createSubscriptionStore } from './subscription-store.ts'
import type { Subscriptions } from './subscriptions.ts'
import { createSubscriptions } from './subscriptions.ts'
import { visibleTools } from './visible-tools.ts'

export type { BoundConnector } from './bound-connector.ts'
export type { MountLists } from './mount-lists.ts'
export { mountUri } from './mount-states.ts'
export { tryUpstream } from './try-upstream.ts'

export interface Gateway extends AsyncDisposable {
  /** For people. */
  readonly provider: Provider
  /** Around every call of an agent, by whatever way it comes. */
  readonly layer: Layer
  /** For the compositor of a session: its connectors, what finds them, and the mount `resources`. Starts what is not started. */
  providersOf(session: string, compositor: () => Face): readonly Provider[]
  /** Starts what a session is bound to, before its agent asks: some read the list once and never again. */
  start(session: string): void
  /** What a session is bound to has changed. Where nobody has used it yet, nothing starts. */
  refresh(session: string): Promise<void>
  /** Starts the upstreams of a connector anew, wherever they run, or those of one session; answers whose they are. */
  restart(connector: string, session?: string): Promise<readonly MountPlace[]>
  /** A tool as policies name it, with its other names, from that name or the one that the agent sees. */
  namesOf(session: string, tool: string): Promise<KnownNames>
  /** Those of the tools of a session that its policy does not deny whatever their arguments. */
  visible(session: string, tools: readonly Tool[]): Promise<readonly Tool[]>
  /** What agents are shown may be another now. */
  policiesChanged(): void
  /** The upstream of a binding; `undefined` where nobody has used it yet. */
  upstreamOf(session: string, label: string): UpstreamFacts | undefined
  /** The session has ended. */
  close(session: string): Promise<void>
}

export interface GatewayOptions extends GateOptions, Omit<SessionToolsOptions, 'mountsOf'> {
  readonly store: Store
  readonly events: EventLog
  readonly notices: Notices
  readonly log: Log
  /** Of a connector, as it stands in the environment. */
  readonly holdsSecret: (text: string) => boolean
  readonly faceIdOf: (session: string) => string
  readonly bindingsOf: (session: string) => Promise<readonly BoundConnector[]>
  readonly known: (bound: BoundConnector) => Promise<MountLists | undefined>
  readonly keep: (bound: BoundConnector, lists: MountLists) => Promise<void>
  readonly openUpstream: (target: UpstreamTarget, listener: UpstreamListener) => Upstream
  readonly graceMs: number
  /** How an upstream of a session stands has changed. */
  readonly onStatusChange: (session: string, connector: string) => void
}

export interface MountPlace {
  readonly session: string
  readonly label: string
}

interface Open {
  readonly mounts: SessionMounts
  readonly subscriptions: Subscriptions
}

export function createGateway(options: GatewayOptions): Gateway {
  const { notices, log, faceIdOf, graceMs } = options
  const gate = createGate(options)
  const calls = createRelayedCalls()
  const upstreams = createSharedUpstreams(options.openUpstream)
  const store = createSubscriptionStore(options.store)
  const open = new Map<string, Open>()

  function openSession(session: string): Open {
    const known = open.get(session)
    if (known) return known
    const faceId = faceIdOf(session)
    const mounts = createSessionMounts({
      session,
      faceId,
      // One that has ended has no face any more.
      ownResources: () => (open.has(session) ? options.compositorOf(session).ownResources() : () => false),
      bindings: () => options.bindingsOf(session),
      known: options.known,
      keep: options.keep,
      upstreams,
      calls,
      gate,
      notices,
      log,
      graceMs,
      onStatusChange: (connector) => options.onStatusChange(session, connector),
      onResourceChange: (mount, uri) => subscriptions.noteChange(mount, uri),
      onMount: (mount) => subscriptions.followAgain(mount),
    })
    const subscriptions = createSubscriptions({
      session,
      faceId,
      store,
      holdsSecret: options.holdsSecret,
      notices,
      log,
      mounts: () => mounts,
    })
    const opened = { mounts, subscriptions }
    open.set(session, opened)
    return opened
  }

  return {
    provider: createSessionToolsProvider({ ...options, mountsOf: (session) => open.get(session)?.mounts.mounts ?? [] }),
    layer: createGateLayer(gate),
    providersOf(session, compositor) {
      const { mounts, subscriptions } = openSession(session)
      return [
        createResourcesMount(() => mounts, subscriptions),
        createMountStates(mounts, compositor),
        mounts.provider,
        createSearchProvider(compositor),
      ]
    },
    start: (session) => void openSession(session),
    refresh: async (session) => open.get(session)?.mounts.refresh(),
    async restart(connector, only) {
      const mounted = [...open].flatMap(([session, { mounts }]) => mounts.mounts.map((mount) => ({ session, mount })))
      const upstreams = new Set(
        mounted
          .filter(({ session, mount }) => mount.bound.connector === connector && (only ?? session) === session)
          .flatMap(({ mount }) => mount.upstream ?? []),
      )
      await Promise.allSettled([...upstreams].map((upstream) => upstream.restart()))
      // One that is shared was started anew for others as well.
      return mounted.flatMap(({ session, mount: { bound, upstream } }) =>
        upstream && upstreams.has(upstream) ? [{ session, label: bound.label }] : [],
      )
    },
    visible: (session, tools) => visibleTools(tools, () => options.foresee(session)),
    policiesChanged() {
      for (const session of open.keys()) notices.listChanged('tools', faceIdOf(session))
    },
    async namesOf(session, tool) {
      const names = open.get(session)?.mounts.namesOf(tool)
      return names ?? findKeptNames(tool, await options.bindingsOf(session), options.known)
    },
    upstreamOf(session, label) {
      const mounts = open.get(session)?.mounts
      const mount = mounts?.mounts.find(({ bound }) => bound.label === label)
      return mounts && mount && factsOf(mount, mounts.ownResources())
    },
    async close(session) {
      const closing = open.get(session)
      open.delete(session)
      await closing?.mounts[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map(({ mounts }) => mounts[Symbol.asyncDispose]()))
    },
  }
}
