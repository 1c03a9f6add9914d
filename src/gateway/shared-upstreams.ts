/** Opens upstreams: one per binding, or one for all sessions if the connector is shared. */
import type { Client, LoggingLevel, Params } from '../mcp/mcp.ts'
import { errorCode, moreVerbose, RpcError } from '../mcp/mcp.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import type { Watches } from './watches.ts'
import { createWatches } from './watches.ts'

export interface SharedUpstreams {
  /** The upstream is not started yet. It is closed when its last lease ends. */
  lease(bound: ResolvedConnector, listener: UpstreamListener): UpstreamLease
}

export interface UpstreamLease extends AsyncDisposable {
  readonly upstream: Upstream
  /** Follows a resource for one follower of this lease. Each follower ends only its own subscription. */
  watch(uri: string, follower: string, era?: Client['era']): Promise<void>
  unwatch(uri: string, follower: string): Promise<void>
  /** The upstream uses the most verbose level of all leases. */
  setLogLevel(level: LoggingLevel): void
}

interface Entry {
  readonly upstream: Upstream
  readonly watches: Watches
  readonly leases: Set<Leaseholder>
  /** More than one session has used it. A late message may belong to a session that has left. */
  wasShared: boolean
}

interface Leaseholder {
  readonly name: string
  readonly listener: UpstreamListener
  logLevel: LoggingLevel | undefined
}

export function createSharedUpstreams(
  open: (target: UpstreamTarget, listener: UpstreamListener) => Upstream,
): SharedUpstreams {
  const shared = new Map<string, Entry>()
  let count = 0

  function openEntry(target: UpstreamTarget): Entry {
    const leases = new Set<Leaseholder>()
    const upstream = open(target, {
      status(status) {
        for (const { listener } of leases) listener.status(status)
      },
      notification(method, params) {
        for (const lease of leases)
          if (concerns(entry, lease, method, params)) lease.listener.notification(method, params)
      },
      output: () => leases.forEach(({ listener }) => listener.output?.()),
      breach: (sentence) => leases.forEach(({ listener }) => listener.breach(sentence)),
      isShared: () => entry.wasShared,
      ask(request, signal) {
        if (entry.wasShared && request.method !== 'roots/list') return Promise.reject(unaddressed())
        const [lease] = leases
        return lease ? lease.listener.ask(request, signal) : Promise.reject(new Error('No session uses this upstream.'))
      },
    })
    const entry: Entry = { upstream, watches: createWatches(upstream), leases, wasShared: false }
    return entry
  }

  function leaseOf(entry: Entry, listener: UpstreamListener, onLast: () => void): UpstreamLease {
    const { upstream, watches, leases } = entry
    const own: Leaseholder = { name: `${++count} `, listener, logLevel: undefined }
    leases.add(own)
    if (leases.size > 1) entry.wasShared = true
    return {
      upstream,
      watch: (uri, follower, era) => watches.follow(uri, own.name + follower, era),
      unwatch: (uri, follower) => watches.unfollow(uri, own.name + follower),
      setLogLevel(level) {
        // A client may leave after the lease has ended.
        if (!leases.has(own)) return
        own.logLevel = level
        upstream.setLogLevel([...leases].flatMap((lease) => lease.logLevel ?? []).reduce(moreVerbose))
      },
      async [Symbol.asyncDispose]() {
        if (!leases.delete(own)) return
        if (leases.size > 0) return watches.unfollowAll(own.name)
        onLast()
        await upstream[Symbol.asyncDispose]()
      },
    }
  }

  return {
    lease({ target, isShared, connector, fingerprint }, listener) {
      if (target instanceof Error) throw target
      if (!isShared) return leaseOf(openEntry(target), listener, () => {})
      const key = `${connector} ${fingerprint}`
      const entry = shared.get(key) ?? openEntry(target)
      shared.set(key, entry)
      return leaseOf(entry, listener, () => shared.delete(key))
    },
  }
}

/** Whether the session of a lease gets a notification that belongs to no answer. */
function concerns(entry: Entry, own: Leaseholder, method: string, params: Params | undefined): boolean {
  if (method.endsWith('/list_changed')) return true
  if (method === 'notifications/resources/updated') {
    const uri = params?.['uri']
    return typeof uri === 'string' && entry.watches.isFollowed(uri, own.name)
  }
  // Others, such as a log line or a task status, belong to one call, but do not say to which.
  return !entry.wasShared
}

function unaddressed(): RpcError {
  return new RpcError(
    errorCode.invalidRequest,
    'Several sessions share this upstream, so a question must come with the answer to the call it belongs to.',
  )
}
