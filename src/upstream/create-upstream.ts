/**
 * One side of an upstream. Above it: `dual-upstream.ts`, which may keep one side per era. Below it: `peer.ts`, which
 * sends requests and matches their answers. `supervisor.ts` starts it, restarts it and gives up; `connection.ts` is one
 * handshake over one transport.
 */
import { randomUUID } from 'node:crypto'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Implementation, LoggingLevel } from '../mcp/mcp.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import { toShellLine } from '../base/shell-line.ts'
import { shortReason } from '../base/short-reason.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import { startReason } from './handshake.ts'
import { createOutputLog } from './output-log.ts'
import type { QuestionBudget } from './question-budget.ts'
import { createSupervisor } from './supervisor.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { UpstreamTransport } from './transport.ts'
import { toRpcError, Unanswered } from './unanswered.ts'
import type {
  Upstream,
  UpstreamBreach,
  UpstreamIdentity,
  UpstreamListener,
  UpstreamStatus,
  UpstreamTarget,
} from './upstream-types.ts'

export interface UpstreamOptions {
  readonly target: UpstreamTarget
  /** A transport that is not started yet. Lines of a program's stderr go to `onErrorLine`. */
  readonly connect: (target: UpstreamTarget, onErrorLine: (line: string) => void) => UpstreamTransport
  readonly listener: UpstreamListener
  /** How the hub identifies itself to the upstream. */
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
  /** Of all upstreams. */
  readonly questionBudget: QuestionBudget
  readonly random?: () => number
}

export interface UpstreamSide extends Upstream {
  /** While it runs: whether it can send us requests in the middle of a legacy call. */
  readonly canAsk: boolean
}

export function createUpstream(options: UpstreamOptions): UpstreamSide {
  const { target, connect, info, redact, questionBudget, random = Math.random } = options
  const log = options.log.child({ upstream: target.name })
  let identity: UpstreamIdentity | undefined
  let transport: UpstreamTransport | undefined
  let dropped = 0
  let breach: UpstreamBreach | undefined
  let logLevel: LoggingLevel | undefined
  let lastReason: string | undefined
  const output = createOutputLog(redact, () => options.listener.output?.())

  const listener: UpstreamListener = {
    ...options.listener,
    breach(sentence) {
      breach = { sentence, at: new Date().toISOString() }
      options.listener.breach(sentence)
    },
  }

  const subscriptions = createSubscriptions({
    listener,
    log,
    random,
    ackMs: () => target.handshakeMs,
    onUnreachable: (connection, reason) => supervisor.ended(connection, reason),
  })
  const supervisor = createSupervisor({
    name: target.name,
    waitMs: target.handshakeMs,
    open,
    reasonOf: (error) => shortReason(redact(startReason(error, redactedStderr()))),
    onStatus(status) {
      noteStatus(status)
      listener.status(status)
    },
    onUp(connection, isAgain) {
      output.add('hub', `connected, MCP ${connection.identity.version}`)
      subscriptions.attach(connection, isAgain)
      sendLogLevel(connection)
    },
    onDown: () => subscriptions.detach(),
    random,
  })

  function noteStatus({ is, reason, retryAt }: UpstreamStatus): void {
    // The attempt after a failure repeats the reason of the failure.
    if (reason !== undefined && reason !== lastReason) output.add('hub', reason)
    lastReason = reason
    if (is === 'failed' && retryAt !== undefined)
      output.add('hub', `given up; the next attempt is ${inSeconds(retryAt)}`)
    if (is !== 'initializing') return
    output.add('hub', retryAt === undefined ? startLine(target) : `the next attempt is ${inSeconds(retryAt)}`)
  }

  function redactedStderr(): string {
    return redact(transport?.stderr ?? '')
  }

  async function open(signal: AbortSignal): Promise<Connection> {
    const connection = await openConnection(
      {
        target,
        transport: (transport = connect(target, (line) => output.add('program', line))),
        listener,
        info,
        log,
        redact,
        questionBudget,
        onDropped: () => void dropped++,
        onEnded: (ended, reason) => supervisor.ended(ended, reason),
      },
      signal,
    )
    identity = connection.identity
    return connection
  }

  function sendLogLevel({ identity: { era, capabilities }, request }: Connection): void {
    if (logLevel === undefined || era !== 'legacy' || !('logging' in capabilities)) return
    request('logging/setLevel', { level: logLevel }, { signal: AbortSignal.timeout(10_000) }).catch(() => {})
  }

  async function renew(connection: Connection): Promise<void> {
    const before = connection.identity.era
    await connection.renew()
    identity = connection.identity
    if (identity.era !== before) subscriptions.attach(connection, true)
  }

  /** Sends a request, and sends it again where that is harmless: at most once for each kind of failure. */
  async function attempt<Result>(
    work: (connection: Connection) => Promise<Result>,
    { signal, isSafe }: { readonly signal?: AbortSignal; readonly isSafe: boolean },
  ): Promise<Result> {
    let left: Set<Remedy> | undefined
    try {
      for (;;) {
        const connection = supervisor.connection ?? (await supervisor.connected(signal))
        try {
          return await work(connection)
        } catch (error) {
          const remedy = remedyFor(error, connection)
          if (remedy === 'restart') supervisor.ended(connection, messageOf(error))
          left ??= new Set(isSafe ? ['restart', 'renew', 'repeat'] : ['restart', 'renew'])
          if (!remedy || !left.delete(remedy)) throw error
          if (remedy === 'renew') await renew(connection)
        }
      }
    } catch (error) {
      throw toRpcError(error, target.name, redact)
    }
  }

  return {
    target,
    get status() {
      return supervisor.status
    },
    get identity() {
      return supervisor.connection?.identity ?? identity
    },
    get stderr() {
      return lastLines(redactedStderr())
    },
    get output() {
      return { lines: output.lines(), total: output.total }
    },
    get breach() {
      return breach
    },
    get dropped() {
      return dropped
    },
    get canAsk() {
      return supervisor.connection?.canAsk ?? false
    },
    ready: async (signal) => (await supervisor.connected(signal)).identity,
    async request(method, params, request) {
      const key = method === 'tools/call' ? randomUUID() : undefined
      const asker = { client: request.client, key }
      const own = target.callMs === undefined ? request : { ...request, timeoutMs: target.callMs }
      const result = await attempt((connection) => connection.request(method, params, own, asker), request)
      // An answered list proves little: the hub requests lists after every start.
      if (!method.endsWith('/list')) supervisor.answered()
      return result
    },
    notify: (method, params) => attempt((connection) => connection.notify(method, params), { isSafe: false }),
    setLogLevel(level) {
      logLevel = level
      if (supervisor.connection) sendLogLevel(supervisor.connection)
    },
    subscribe: (uri) => attempt((connection) => subscriptions.add(uri, connection), { isSafe: true }),
    unsubscribe: (uri) => subscriptions.remove(uri, supervisor.connection),
    restart: () => supervisor.restart(),
    [Symbol.asyncDispose]: () => supervisor.dispose(),
  }
}

function inSeconds(at: string): string {
  return `in ${Math.max(1, Math.round((Date.parse(at) - Date.now()) / 1000))} s`
}

function startLine({ reach }: UpstreamTarget): string {
  return reach.transport === 'stdio' ? `$ ${toShellLine([reach.command, ...reach.args])}` : `connecting to ${reach.url}`
}

/** Whole lines, as many as a person would read. */
function lastLines(text: string): string {
  const shown = text.trimEnd().slice(-shownCharacters)
  return shown.length < text.trimEnd().length ? shown.slice(shown.indexOf('\n') + 1) : shown
}

const shownCharacters = 4_000

/** `repeat`: it is unknown whether the request took effect, so only safe requests are repeated. */
type Remedy = 'restart' | 'renew' | 'repeat'

function remedyFor(error: unknown, { identity }: Connection): Remedy | undefined {
  const isOutdated = error instanceof RpcError && error.code === errorCode.unsupportedVersion
  if (isOutdated && identity.era === 'modern') return 'renew'
  if (!(error instanceof Unanswered) || error.fate === 'stopped') return undefined
  return error.fate === 'unsent' ? 'restart' : 'repeat'
}
