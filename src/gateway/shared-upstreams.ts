/** Opens upstreams: one per binding, or one for all sessions if the connector is shared. */
import type { Client, LoggingLevel, Params } from '../mcp/mcp.ts'
import { moreVerbose } from '../mcp/mcp.ts'
import type { AnyRequest, Upstream, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import type { Watches } from './watches.ts'
import { createWatches } from './watches.ts'

export interface SharedUpstreams {
  /** The upstream is not started yet. It is closed when its last lease ends. */
  lease(bound: ResolvedConnector, listener: UpstreamListener): UpstreamLease
}

export interface UpstreamLease extends AsyncDisposable {
  readonly upstream: Upstream
  /** Marks the start of a request of this lease, during which the upstream may ask something. */
  begin(): void
  end(): void
  /** Whether a question during a request of this lease may belong to a request of another lease. */
  mayBeForAnother(): boolean
  /** Answers such a question for the session as a whole. */
  answer(question: AnyRequest, signal: AbortSignal): Promise<object>
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
}

interface Leaseholder {
  readonly name: string
  readonly listener: UpstreamListener
  running: number
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
      ask(request, signal) {
        const [lease] = leases
        return lease ? lease.listener.ask(request, signal) : Promise.reject(new Error('No session uses this upstream.'))
      },
    })
    const entry = { upstream, watches: createWatches(upstream), leases }
    return entry
  }

  function leaseOf(entry: Entry, listener: UpstreamListener, onLast: () => void): UpstreamLease {
    const { upstream, watches, leases } = entry
    const own: Leaseholder = { name: `${++count} `, listener, running: 0, logLevel: undefined }
    leases.add(own)
    // Over HTTP a question comes on the stream of its call. On other transports it may belong to any call.
    const mayMistake = upstream.target.reach.transport !== 'http'
    return {
      upstream,
      begin: () => void own.running++,
      end: () => void own.running--,
      mayBeForAnother: () => mayMistake && !isAlone(entry, own),
      answer: (question, signal) => listener.ask(question, signal),
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
  return entry.leases.size === 1 || (own.running > 0 && isAlone(entry, own))
}

/** True if no other session has a running call. */
function isAlone({ leases }: Entry, own: Leaseholder): boolean {
  return leases.values().every((lease) => lease === own || lease.running === 0)
}
