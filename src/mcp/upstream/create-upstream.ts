/**
 * An upstream as its callers see it. Below it: `life.ts` (starts, restarts, gives up) → `connection.ts` (one handshake,
 * one transport) → `peer.ts` (which message belongs to what).
 */
import { randomUUID } from 'node:crypto'
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { Implementation } from '../sdk.ts'
import { errorCode, RpcError } from '../wire.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import { startReason } from './handshake.ts'
import { createLife } from './life.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { UpstreamTransport } from './transport.ts'
import { toRpcError, Unanswered } from './unanswered.ts'
import type { Upstream, UpstreamBreach, UpstreamIdentity, UpstreamListener, UpstreamTarget } from './upstream.ts'

export interface UpstreamOptions {
  readonly target: UpstreamTarget
  /** A transport that is not started yet. */
  readonly connect: (target: UpstreamTarget) => UpstreamTransport
  readonly listener: UpstreamListener
  /** Who we are, to it. */
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
  readonly random?: () => number
}

export function createUpstream(options: UpstreamOptions): Upstream {
  const { target, connect, info, redact, random = Math.random } = options
  const log = options.log.child({ upstream: target.name })
  let identity: UpstreamIdentity | undefined
  let transport: UpstreamTransport | undefined
  let dropped = 0
  let breach: UpstreamBreach | undefined

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
    onUnreachable: (connection, reason) => life.ended(connection, reason),
  })
  const life = createLife({
    name: target.name,
    patienceMs: target.handshakeMs,
    open,
    reasonOf: (error) => redact(startReason(error, said())),
    onStatus: (status) => listener.status(status),
    onUp: (connection, isAgain) => subscriptions.attach(connection, isAgain),
    onDown: () => subscriptions.detach(),
    random,
  })

  function said(): string {
    return redact(transport?.stderr ?? '')
  }

  async function open(signal: AbortSignal): Promise<Connection> {
    const connection = await openConnection(
      {
        target,
        transport: (transport = connect(target)),
        listener,
        info,
        log,
        redact,
        onDropped: () => void dropped++,
        onEnded: (ended, reason) => life.ended(ended, reason),
      },
      signal,
    )
    identity = connection.identity
    return connection
  }

  async function renew(connection: Connection): Promise<void> {
    const before = connection.identity.era
    await connection.renew()
    identity = connection.identity
    if (identity.era !== before) subscriptions.attach(connection, true)
  }

  /** Once, and again where that can do no harm: once for each way to fail. */
  async function attempt<Result>(
    work: (connection: Connection) => Promise<Result>,
    { signal, isSafe }: { readonly signal?: AbortSignal; readonly isSafe: boolean },
  ): Promise<Result> {
    const left = new Set<Remedy>(isSafe ? ['restart', 'renew', 'repeat'] : ['restart', 'renew'])
    try {
      for (;;) {
        const connection = life.connection ?? (await life.connected(signal))
        try {
          return await work(connection)
        } catch (error) {
          const remedy = remedyFor(error, connection)
          if (remedy === 'restart') life.ended(connection, messageOf(error))
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
      return life.status
    },
    get identity() {
      return life.connection?.identity ?? identity
    },
    get stderr() {
      return lastLines(said())
    },
    get breach() {
      return breach
    },
    get dropped() {
      return dropped
    },
    ready: async (signal) => (await life.connected(signal)).identity,
    async request(method, params, request) {
      const key = method === 'tools/call' ? randomUUID() : undefined
      const asker = { client: request.client, key }
      const own = { ...request, timeoutMs: target.callMs }
      const result = await attempt((connection) => connection.request(method, params, own, asker), request)
      // Lists prove little: they are asked for after every start.
      if (!method.endsWith('/list')) life.answered()
      return result
    },
    notify: (method, params) => attempt((connection) => connection.notify(method, params), { isSafe: false }),
    subscribe: (uri) => attempt((connection) => subscriptions.add(uri, connection), { isSafe: true }),
    unsubscribe: (uri) => subscriptions.remove(uri, life.connection),
    restart: () => life.restart(),
    [Symbol.asyncDispose]: () => life.dispose(),
  }
}

/** Whole ones, as many as a person would read. */
function lastLines(text: string): string {
  const shown = text.trimEnd().slice(-shownCharacters)
  return shown.length < text.trimEnd().length ? shown.slice(shown.indexOf('\n') + 1) : shown
}

const shownCharacters = 4_000

/** `repeat`: nobody knows whether it took effect, so only for what is safe. */
type Remedy = 'restart' | 'renew' | 'repeat'

function remedyFor(error: unknown, { identity }: Connection): Remedy | undefined {
  const isOutdated = error instanceof RpcError && error.code === errorCode.unsupportedVersion
  if (isOutdated && identity.era === 'modern') return 'renew'
  if (!(error instanceof Unanswered) || error.fate === 'stopped') return undefined
  return error.fate === 'unsent' ? 'restart' : 'repeat'
}
