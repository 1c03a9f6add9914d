/**
 * One connection to an upstream, from its handshake to its end. It is never reopened; `supervisor.ts` opens a new one.
 */
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Implementation, Params } from '../mcp/mcp.ts'
import { clientCapabilities } from '../mcp/mcp.ts'
import { headersFor, inEnvelope } from './envelope.ts'
import { handshakeEras, shakeHands } from './handshake.ts'
import { createLiveness } from './liveness.ts'
import type { Asker, Enveloped, Peer, PeerRequest } from './peer.ts'
import { createPeer } from './peer.ts'
import { createRevisionChecks } from './revision-checks.ts'
import type { QuestionBudget } from './question-budget.ts'
import type { UpstreamTransport } from './transport.ts'
import type { Fate } from './unanswered.ts'
import { abortable } from '../base/abortable.ts'
import type { UpstreamIdentity, UpstreamListener, UpstreamTarget } from './upstream-types.ts'

export interface Connection {
  readonly identity: UpstreamIdentity
  readonly canAsk: boolean
  /** Set once the connection has ended by itself. */
  readonly endReason: string | undefined
  readonly request: Peer['request']
  notify(method: string, params: Params | undefined): Promise<void>
  /** Repeats the handshake. Concurrent callers share one handshake. */
  renew(): Promise<void>
  /** Ends the connection and every request on it. */
  close(fate: Fate, reason: string): Promise<void>
}

export interface ConnectionOptions {
  readonly target: UpstreamTarget
  /** Not started yet. */
  readonly transport: UpstreamTransport
  readonly listener: Pick<UpstreamListener, 'notification' | 'ask' | 'breach' | 'isShared'>
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
  readonly onDropped: () => void
  readonly questionBudget: QuestionBudget
  /** Called when the connection ends by itself after the handshake. */
  readonly onEnded: (connection: Connection, reason: string) => void
}

const notKnownYet: UpstreamIdentity = { era: 'legacy', version: '', capabilities: {} }
const ourselves: Asker = { client: { capabilities: clientCapabilities }, key: undefined }

/** Rejects with the reason if the connection fails. By then everything it opened is closed. */
export async function openConnection(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const { target, transport, listener, info, log, redact, onDropped, questionBudget } = options
  const { reach, heartbeatMs, handshakeMs, strict } = target
  const isHttp = reach.transport === 'http'
  let identity = notKnownYet
  let renewing: Promise<void> | undefined
  let isOpen = false
  let isClosed = false
  let endReason: string | undefined

  const checks = createRevisionChecks({
    name: target.name,
    isModern: () => identity.era === 'modern',
    isHttp,
    onBreach: (sentence) => listener.breach(redact(sentence)),
  })
  const peer = createPeer({
    transport,
    listener,
    log,
    checks: strict ? checks : undefined,
    onDropped,
    questionBudget,
    envelope,
  })
  const { request } = peer
  const liveness = createLiveness({
    heartbeatMs,
    isBusy: () => peer.isBusy,
    wasHeard: () => peer.wasHeard(),
    ping: () => void request('ping', {}, { signal, timeoutMs: 2 * heartbeatMs }).catch(() => {}),
    onHang: () => end(`It sent nothing for ${2 * heartbeatMs} ms and did not answer a ping.`),
  })

  function envelope(
    id: number,
    method: string,
    params: Params,
    { headers, onProgress }: PeerRequest,
    asker = ourselves,
  ): Enveloped {
    const era = handshakeEras.get(method) ?? identity.era
    const enveloped = inEnvelope(params, era, { info, progressToken: onProgress && id, ...asker })
    const message = { jsonrpc: '2.0', id, method, params: enveloped } as const
    if (isOpen && era === 'legacy' && !isHttp) liveness.wake()
    if (era === 'legacy' || !isHttp) return { message, headers, isCancelledByClosing: false }
    return { message, headers: { ...headers, ...headersFor(method, params) }, isCancelledByClosing: true }
  }

  async function shake(limit: AbortSignal): Promise<void> {
    identity = await shakeHands(
      {
        info,
        ask: (method, params, timeoutMs) => request(method, params, { signal: limit, timeoutMs }),
        notify: (method) => peer.notify(method, undefined),
        agree: (version) => transport.agree(version),
      },
      target,
    )
  }

  async function withinLimit(work: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const limit = new AbortController()
    const timer = setTimeout(
      () => limit.abort(new Error(`The handshake took longer than ${handshakeMs} ms (handshake_ms).`)),
      handshakeMs,
    )
    try {
      await abortable(abortable(work(limit.signal), limit.signal), signal)
    } finally {
      clearTimeout(timer)
    }
  }

  function end(reason: string): void {
    if (isClosed) return
    isClosed = true
    endReason = reason
    liveness.stop()
    peer.end('ended', reason)
    if (isOpen) options.onEnded(connection, reason)
  }

  const connection: Connection = {
    get identity() {
      return identity
    },
    get canAsk() {
      return transport.canAsk
    },
    get endReason() {
      return endReason
    },
    request,
    notify: (method, params) =>
      peer.notify(method, params, identity.era === 'modern' ? { headers: headersFor(method, params) } : undefined),
    renew: () => (renewing ??= withinLimit(shake).finally(() => (renewing = undefined))),
    async close(fate, reason) {
      isClosed = true
      liveness.stop()
      peer.end(fate, reason)
      await transport.close()
    },
  }

  try {
    await withinLimit(async (limit) => {
      await transport.start({
        message: (message, during) => peer.receive(message, during),
        garbage: (reason) => peer.garbage(reason),
        lost: (lost, reason) => peer.lost(lost, reason),
        closed: end,
        forgotten: (reason = 'It no longer knows the connection.') => end(reason),
      })
      await shake(limit)
    })
    isOpen = true
    return connection
  } catch (error) {
    await connection.close('ended', messageOf(error))
    throw error
  }
}
