/** Opens upstreams, each over the transport that its target names, and ends what they leave behind. */
import type { Log } from '../../base/log.ts'
import type { Implementation } from '../sdk.ts'
import { createUpstream } from './create-upstream.ts'
import { createHttpTransport } from './http-transport.ts'
import { createReaper } from './reaper.ts'
import { createSseTransport } from './sse-transport.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { UpstreamTransport } from './transport.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from './upstream.ts'

export interface Upstreams extends AsyncDisposable {
  /** It starts when it is first needed. */
  open(target: UpstreamTarget, listener: UpstreamListener): Upstream
  /** Ends the processes that earlier hubs of this data directory left; answers how many. */
  sweepStale(): Promise<number>
}

export interface UpstreamsOptions {
  /** Tells the upstreams of this data directory from those of others. */
  readonly homeId: string
  /** Who we are, to them. */
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
}

export function createUpstreams({ homeId, info, log, redact }: UpstreamsOptions): Upstreams {
  const reaper = createReaper({ homeId })

  function connect({ reach, heartbeatMs }: UpstreamTarget): UpstreamTransport {
    switch (reach.transport) {
      case 'stdio':
        return createStdioTransport({ ...reach, reaper })
      case 'http':
        return createHttpTransport({ ...reach, heartbeatMs })
      case 'sse':
        return createSseTransport({ ...reach, heartbeatMs })
    }
  }

  return {
    open: (target, listener) => createUpstream({ target, connect, listener, info, log, redact }),
    sweepStale: () => reaper.sweepStale(),
    [Symbol.asyncDispose]: () => reaper[Symbol.asyncDispose](),
  }
}
