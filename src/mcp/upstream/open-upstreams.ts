/** Opens upstreams, each over the transport that its target names, and ends what they leave behind. */
import type { Log } from '../../base/log.ts'
import type { Implementation } from '../sdk.ts'
import { createUpstream } from './create-upstream.ts'
import { createHttpTransport } from './http-transport.ts'
import type { UpstreamLogins } from './oauth-logins.ts'
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
  /** Without it upstreams that want a login refuse. */
  readonly logins?: UpstreamLogins
}

export function createUpstreams({ homeId, info, log, redact, logins }: UpstreamsOptions): Upstreams {
  const reaper = createReaper({ homeId })

  function connect({ name, reach, heartbeatMs }: UpstreamTarget): UpstreamTransport {
    if (reach.transport === 'stdio') return createStdioTransport({ ...reach, reaper, redact })
    // Whoever gives a token of their own is not sent to log in.
    const hasToken = Object.keys(reach.headers).some((header) => header.toLowerCase() === 'authorization')
    const auth = hasToken ? undefined : logins?.of({ name, url: reach.url, client: reach.oauthClient })
    const options = { ...reach, heartbeatMs, ...(auth && { auth }) }
    return reach.transport === 'http' ? createHttpTransport(options) : createSseTransport(options)
  }

  return {
    open: (target, listener) => createUpstream({ target, connect, listener, info, log, redact }),
    sweepStale: () => reaper.sweepStale(),
    [Symbol.asyncDispose]: () => reaper[Symbol.asyncDispose](),
  }
}
