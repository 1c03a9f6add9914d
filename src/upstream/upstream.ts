/** Opens upstreams, each over the transport of its target, and ends the processes they leave behind. */
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Implementation } from '../mcp/mcp.ts'
import { createUpstream } from './create-upstream.ts'
import { createDualUpstream, mayBeDual } from './dual-upstream.ts'
import { createHttpTransport } from './http-transport.ts'
import type { UpstreamLogins } from './oauth-logins.ts'
import { createQuestionBudget } from './question-budget.ts'
import { createReaper } from './reaper.ts'
import { createSseTransport } from './sse-transport.ts'
import type { ConfinedProgram } from './stdio-transport.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { UpstreamTransport } from './transport.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from './upstream-types.ts'

export { createUpstreamLogins } from './oauth-logins.ts'
export type { ConfinedProgram } from './stdio-transport.ts'
export type * from './upstream-types.ts'

export interface Upstreams extends AsyncDisposable {
  /** Opens an upstream. It starts when it is first needed. */
  open(target: UpstreamTarget, listener: UpstreamListener): Upstream
  /** Ends processes that earlier hubs of this data directory left behind. Returns how many. */
  sweepStale(): Promise<number>
}

export interface UpstreamsOptions {
  /** Distinguishes the upstreams of this data directory from those of others. */
  readonly homeId: string
  /** How the hub identifies itself to upstreams. */
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
  /** Without it, upstreams that require a login refuse the connection. */
  readonly logins?: UpstreamLogins
  /** Builds the sandbox of a program that is to be confined. Without it, such a program does not start. */
  readonly confine?: ConfineUpstream
}

export type ConfineUpstream = (target: UpstreamTarget) => Promise<ConfinedProgram>

export function createUpstreams({ homeId, info, log, redact, logins, confine }: UpstreamsOptions): Upstreams {
  const reaper = createReaper({ homeId })
  const oneEra = new Set<string>()
  const questionBudget = createQuestionBudget()

  function connect(target: UpstreamTarget, onErrorLine: (line: string) => void): UpstreamTransport {
    const { name, reach, heartbeatMs } = target
    if (reach.transport === 'stdio') {
      const { confined, ...program } = reach
      return createStdioTransport({
        ...program,
        reaper,
        redact,
        onErrorLine,
        ...(confined && { confine: () => confineOrFail(target) }),
      })
    }
    // A connector with its own Authorization header needs no login.
    const hasToken = Object.keys(reach.headers).some((header) => header.toLowerCase() === 'authorization')
    const auth = hasToken ? undefined : logins?.of({ name, url: reach.url, client: reach.oauthClient })
    const options = { ...reach, heartbeatMs, ...(auth && { auth }) }
    return reach.transport === 'http' ? createHttpTransport(options) : createSseTransport(options)
  }

  async function confineOrFail(target: UpstreamTarget): Promise<ConfinedProgram> {
    if (!confine) throw new HubError('unavailable', 'This hub cannot confine programs.')
    return confine(target)
  }

  const openSide = (target: UpstreamTarget, listener: UpstreamListener) =>
    createUpstream({ target, connect, listener, info, log, redact, questionBudget })

  return {
    open: (target, listener) =>
      mayBeDual(target) ? createDualUpstream({ target, listener, openSide, oneEra, log }) : openSide(target, listener),
    sweepStale: () => reaper.sweepStale(),
    [Symbol.asyncDispose]: () => reaper[Symbol.asyncDispose](),
  }
}
