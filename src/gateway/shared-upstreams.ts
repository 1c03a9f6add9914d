/** Opens upstreams: one for each binding, or one for all sessions where the connector says so. */
import type { LoggingLevel, Upstream, UpstreamListener, UpstreamTarget } from '../mcp/mcp.ts'
import { moreVerbose } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'
import { answerFor } from './relayed-call.ts'
import type { Watches } from './watches.ts'
import { createWatches } from './watches.ts'

export interface SharedUpstreams {
  /** Not started yet; closed when the last lease of it ends. */
  lease(bound: BoundConnector, listener: UpstreamListener): UpstreamLease
}

export interface UpstreamLease extends AsyncDisposable {
  readonly upstream: Upstream
  readonly request: Upstream['request']
  /** Resources are followed for whoever asks, and for others of other leases: each lets go of its own. */
  watch(uri: string, follower: string): Promise<void>
  unwatch(uri: string, follower: string): Promise<void>
  /** What others of the upstream want to hear as well, it still says. */
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
        if (status.is === 'running') tellLogLevel(entry)
        for (const { listener } of leases) listener.status(status)
      },
      notification(method, params) {
        // A line of a log says something of one call, and nobody can say of which.
        const isOfOne = method === 'notifications/message'
        for (const lease of leases) if (!isOfOne || isAlone(entry, lease)) lease.listener.notification(method, params)
      },
      breach: (sentence) => leases.forEach(({ listener }) => listener.breach(sentence)),
      ask: (request) => answerFor(request),
    })
    const entry = { upstream, watches: createWatches(upstream), leases }
    return entry
  }

  function leaseOf(entry: Entry, listener: UpstreamListener, onLast: () => void): UpstreamLease {
    const { upstream, watches, leases } = entry
    const own: Leaseholder = { name: `${++count} `, listener, running: 0, logLevel: undefined }
    leases.add(own)
    // Over HTTP a question comes with the answer to its call; elsewhere it could be anybody's.
    const mayMistake = upstream.target.reach.transport !== 'http'
    return {
      upstream,
      async request(method, params, request) {
        const { onAsk } = request
        own.running++
        try {
          return await upstream.request(method, params, {
            ...request,
            ...(onAsk && {
              onAsk: (question, signal, onProgress) =>
                mayMistake && !isAlone(entry, own) ? answerFor(question) : onAsk(question, signal, onProgress),
            }),
          })
        } finally {
          own.running--
        }
      },
      watch: (uri, follower) => watches.hold(uri, own.name + follower),
      unwatch: (uri, follower) => watches.release(uri, own.name + follower),
      setLogLevel(level) {
        own.logLevel = level
        tellLogLevel(entry)
      },
      async [Symbol.asyncDispose]() {
        if (!leases.delete(own)) return
        if (leases.size > 0) return watches.releaseAll(own.name)
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

/** No other session has a call under way. */
function isAlone({ leases }: Entry, own: Leaseholder): boolean {
  return leases.values().every((lease) => lease === own || lease.running === 0)
}

/** A modern upstream is told with each request. */
function tellLogLevel({ upstream, leases }: Entry): void {
  const { era, capabilities = {} } = upstream.identity ?? {}
  const levels = [...leases].flatMap(({ logLevel }) => logLevel ?? [])
  if (era !== 'legacy' || !('logging' in capabilities) || levels.length === 0) return
  const asked = { signal: AbortSignal.timeout(10_000), client: { capabilities: {} }, isSafe: true }
  upstream.request('logging/setLevel', { level: levels.reduce(moreVerbose) }, asked).catch(() => {})
}
