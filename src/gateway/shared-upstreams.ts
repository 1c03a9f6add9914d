/** Opens upstreams: one for each binding, or one for all sessions where the connector says so. */
import type { Upstream, UpstreamListener, UpstreamTarget } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'

export interface SharedUpstreams {
  /** Not started yet; closed when the last lease of it ends. */
  lease(bound: BoundConnector, listener: UpstreamListener): UpstreamLease
}

export interface UpstreamLease extends AsyncDisposable {
  readonly upstream: Upstream
}

interface Shared {
  readonly upstream: Upstream
  readonly listeners: Set<UpstreamListener>
}

export function createSharedUpstreams(
  open: (target: UpstreamTarget, listener: UpstreamListener) => Upstream,
): SharedUpstreams {
  const shared = new Map<string, Shared>()

  function leaseShared(key: string, target: UpstreamTarget, listener: UpstreamListener): UpstreamLease {
    let entry = shared.get(key)
    if (!entry) {
      const listeners = new Set<UpstreamListener>()
      entry = { upstream: open(target, toAll(listeners)), listeners }
      shared.set(key, entry)
    }
    const { upstream, listeners } = entry
    listeners.add(listener)
    return {
      upstream,
      async [Symbol.asyncDispose]() {
        listeners.delete(listener)
        if (listeners.size > 0) return
        shared.delete(key)
        await upstream[Symbol.asyncDispose]()
      },
    }
  }

  return {
    lease({ target, isShared, connector, fingerprint }, listener) {
      if (target instanceof Error) throw target
      if (isShared) return leaseShared(`${connector} ${fingerprint}`, target, listener)
      const upstream = open(target, listener)
      return { upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
    },
  }
}

function toAll(listeners: ReadonlySet<UpstreamListener>): UpstreamListener {
  return {
    status: (status) => listeners.forEach((each) => each.status(status)),
    notification: (method, params) => listeners.forEach((each) => each.notification(method, params)),
    breach: (sentence) => listeners.forEach((each) => each.breach(sentence)),
    // Whichever session it is meant for, nobody can say.
    ask: (request, signal) => [...listeners][0]!.ask(request, signal),
  }
}
