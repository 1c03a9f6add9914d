/** One connection to an upstream, from its handshake to its end. It does not come back; `life.ts` opens another. */
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { Client } from '../provider.ts'
import type { Implementation } from '../sdk.ts'
import type { Params } from '../wire.ts'
import { headersFor, inEnvelope } from './envelope.ts'
import { handshakeEras, shakeHands } from './handshake.ts'
import { createLiveness } from './liveness.ts'
import type { PeerRequest } from './peer.ts'
import { createPeer } from './peer.ts'
import { createJudge } from './strict.ts'
import type { UpstreamTransport } from './transport.ts'
import type { Fate } from './unanswered.ts'
import type { UpstreamIdentity, UpstreamListener, UpstreamTarget } from './upstream.ts'
import { clientCapabilities } from './upstream.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface Connection {
  readonly identity: UpstreamIdentity
  /** Set once it has ended by itself. */
  readonly endReason: string | undefined
  /** `asker`: whose request it is, where it is not our own. */
  request(method: string, params: Params, options: PeerRequest, asker?: Asker): Promise<object>
  notify(method: string, params: Params | undefined): Promise<void>
  /** Does the handshake anew, once for all who ask for it meanwhile. */
  renew(): Promise<void>
  /** Ends what runs on it. */
  close(fate: Fate, reason: string): Promise<void>
}

export interface Asker {
  readonly client: Pick<Client, 'capabilities' | 'info'>
  readonly key: string | undefined
}

export interface ConnectionOptions {
  readonly target: UpstreamTarget
  /** Not started yet. */
  readonly transport: UpstreamTransport
  readonly listener: Pick<UpstreamListener, 'notification' | 'ask' | 'breach'>
  readonly info: Implementation
  readonly log: Log
  readonly redact: (text: string) => string
  readonly onDropped: () => void
  /** By itself, after the handshake. */
  readonly onEnded: (connection: Connection, reason: string) => void
}

const notKnownYet: UpstreamIdentity = { era: 'legacy', version: '', capabilities: {} }
const ourselves: Asker = { client: { capabilities: clientCapabilities }, key: undefined }

/** Rejects with why it could not be, once nothing of it is left. */
export async function openConnection(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  const { target, transport, listener, info, log, redact, onDropped } = options
  const { reach, heartbeatMs, handshakeMs, strict } = target
  const isHttp = reach.transport === 'http'
  let identity = notKnownYet
  let renewing: Promise<void> | undefined
  let isOpen = false
  let isClosed = false
  let endReason: string | undefined

  const judge = createJudge({
    name: target.name,
    isModern: () => identity.era === 'modern',
    isHttp,
    onBreach: (sentence) => listener.breach(redact(sentence)),
  })
  const peer = createPeer({ transport, listener, log, judge: strict ? judge : undefined, onDropped })
  const liveness = createLiveness({
    heartbeatMs,
    isBusy: () => peer.isBusy,
    wasHeard: () => peer.wasHeard(),
    ping: () => void request('ping', {}, { signal, timeoutMs: 2 * heartbeatMs }).catch(() => {}),
    onHang: () => end(`It said nothing for ${2 * heartbeatMs} ms and did not answer a ping.`),
  })

  function request(method: string, params: Params, own: PeerRequest, asker = ourselves): Promise<object> {
    const id = peer.takeId()
    const era = handshakeEras.get(method) ?? identity.era
    const dressed = inEnvelope(params, { era, info, progressToken: own.onProgress && id, ...asker })
    const message = { jsonrpc: '2.0', id, method, params: dressed } as const
    if (isOpen && era === 'legacy' && !isHttp) liveness.wake()
    if (era === 'legacy' || !isHttp) return peer.request(message, own)
    const headers = { ...own.headers, ...headersFor(method, params) }
    return peer.request(message, { ...own, headers, isCancelledByClosing: true })
  }

  async function shake(limit: AbortSignal): Promise<void> {
    identity = await shakeHands(
      {
        info,
        ask: (method, params, timeoutMs) => request(method, params, { signal: limit, timeoutMs }),
        tell: (method) => peer.notify(method, undefined),
        agree: (version) => transport.agree(version),
      },
      target,
    )
  }

  async function withinLimit(work: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const limit = new AbortController()
    const timer = setTimeout(
      () => limit.abort(new Error(`It took longer than ${handshakeMs} ms (handshake_ms).`)),
      handshakeMs,
    )
    try {
      await unlessAborted(unlessAborted(work(limit.signal), limit.signal), signal)
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
        forgotten: (reason = 'It has forgotten the connection.') => end(reason),
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
