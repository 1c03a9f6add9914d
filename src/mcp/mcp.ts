/**
 * The endpoint: MCP of both eras on one URL, whatever the transport does with the bytes.
 *
 *   body → messages → era → connection (legacy) or lone request (modern) → method → face → provider
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { failureOf } from './answer.ts'
import type { ConnectionRecords } from './connection-records.ts'
import { createConnections } from './connections.ts'
import { eraOf } from './era.ts'
import type { Face } from './face.ts'
import { createLegacyHttp } from './legacy-http.ts'
import type { LineConnection } from './line-connections.ts'
import { createLineConnections } from './line-connections.ts'
import { createListeners } from './listen.ts'
import { createModern } from './modern.ts'
import type { Notices } from './notices.ts'
import { asBatch, asMessage, parseBody, withExactNumbers } from './parse.ts'
import type { Outlet, Reply } from './reply.ts'
import { createRequestState } from './request-state.ts'
import { createSsePairs } from './sse-pair.ts'
import type { HttpVisit, Visit } from './visit.ts'
import type { RequestId } from './wire.ts'
import { errorCode, isRequest, RpcError } from './wire.ts'

export { failureOf } from './answer.ts'
export { moreVerbose, unaskedLogLevel } from './call.ts'
export { createFace } from './face.ts'
export type { Face, Layer } from './face.ts'
export { defineTool } from './define-tool.ts'
export type { CallToolResult, LoggingLevel } from './sdk.ts'
export { assertCapable, canBeAsked } from './input-rounds.ts'
export { createNotices, managementFaceId } from './notices.ts'
export type { Notices } from './notices.ts'
export { createSettleLayer } from './settle-layer.ts'
export type * from './connection-records.ts'
export type * from './provider.ts'
export { inputRequired, isInputRequired } from './provider.ts'
export type { Outlet, Reply } from './reply.ts'
export type { LineConnection } from './line-connections.ts'
export type { HttpVisit, Visit } from './visit.ts'
export { toolError } from './define-tool.ts'
export type { Params, RequestId, RpcMessage } from './wire.ts'
export { errorCode, isRecord, metaKey, metaOf, notification, RpcError, withoutMeta } from './wire.ts'
export { createUpstreamLogins } from './upstream/oauth-logins.ts'
export { createUpstreams } from './upstream/open-upstreams.ts'
export { clientCapabilities } from './upstream/upstream.ts'
export type * from './upstream/upstream.ts'

export interface Endpoint {
  post(text: string, visit: HttpVisit, reply: Reply): Promise<void>
  /** Throws before the stream is opened where it must not be. */
  get(visit: HttpVisit): Promise<(outlet: Outlet) => Promise<void>>
  delete(visit: HttpVisit): Promise<void>
  /** The 2024 pair: checks first; joined to a stream it answers the id for `postToSse`. */
  openSse(visit: Visit): (outlet: Outlet) => string
  postToSse(id: string, text: string, visit: Visit): void
  /** A stream with one message per line; it ends with its outlet. Throws where there are too many. */
  openLines(visit: Visit, outlet: Outlet): LineConnection
  /** Ends everything that a token had open. */
  dropToken(tokenId: string): Promise<void>
  /** A request may be let in, and still be on its way, when its token ends. */
  hasDropped(tokenId: string): boolean
  /** Brings back the connections of an earlier hub. */
  restore(): Promise<void>
  sweep(): Promise<void>
  /** Tells the streams that the hub stops, and ends the calls that still run. */
  stop(): Promise<void>
  /** Some call still runs. */
  readonly isBusy: boolean
  counts(): { connections: number; listeners: number }
}

export interface EndpointOptions {
  readonly records: ConnectionRecords
  readonly notices: Notices
  readonly log: Log
  /** Authenticates the `requestState` that clients carry. */
  readonly stateKey: Uint8Array
  readonly faceOf: (caller: Principal) => Face
  readonly principalOf: (tokenId: string) => Promise<Principal | undefined>
  readonly maxConnectionsPerToken: number
  readonly connectionIdleMs: number
  readonly onConnectionsChange: () => void
}

/** Within this, calls of a token that has ended may still end by themselves. */
const dropGraceMs = 200

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { records, notices, log, maxConnectionsPerToken: maxPerToken, connectionIdleMs: idleMs } = options
  const { faceOf, principalOf, onConnectionsChange: onChange } = options
  const connections = createConnections({ records, notices, log, faceOf, principalOf, maxPerToken, idleMs, onChange })
  const legacy = createLegacyHttp({ connections, records, log })
  const listeners = createListeners({ notices, maxPerToken })
  const modern = createModern({ listeners, requestState: createRequestState(options.stateKey), log })
  const pairs = createSsePairs({ notices, log, maxPerToken })
  const lines = createLineConnections({ modern, notices, log, maxPerToken })
  const dropped = new Set<string>()
  const onBug = (error: unknown) => log.error({ error }, 'a request failed')

  return {
    async post(text, visit, reply) {
      let id: RequestId | null = null
      try {
        const body = parseBody(text)
        if (Array.isArray(body.json)) return await legacy.postBatch(asBatch(body), visit, reply)
        const sent = asMessage(body.json)
        if (isRequest(sent)) id = sent.id
        const message = withExactNumbers(sent, body)
        const { header } = visit
        const era = eraOf(message, { version: header('mcp-protocol-version'), method: header('mcp-method') })
        if (era === 'legacy') return await legacy.post(message, visit, reply)
        if (isRequest(message)) return await modern.serve(message, visit, reply)
        reply.accepted()
      } catch (error) {
        const { response, status } = failureOf(id, error, onBug)
        reply.json(response, { status })
      }
    },
    get: (visit) => legacy.get(visit),
    delete: (visit) => legacy.delete(visit),
    openSse: (visit) => pairs.open(visit),
    postToSse: (id, text, visit) => pairs.post(id, parseBody(text), visit),
    openLines: (visit, outlet) => lines.open(visit, outlet),
    async dropToken(tokenId) {
      const reason = new RpcError(errorCode.unavailable, 'The token was revoked or has expired.')
      dropped.add(tokenId)
      // One of the calls that still run may be the one that revoked it.
      await sleep(dropGraceMs)
      listeners.closeAll(tokenId)
      modern.abortAll(reason, tokenId)
      pairs.endAll(reason, tokenId)
      lines.endAll(reason, tokenId)
      await connections.removeOfToken(tokenId)
    },
    hasDropped: (tokenId) => dropped.has(tokenId),
    restore: () => connections.restore(),
    sweep: () => connections.sweep(),
    async stop() {
      const reason = new RpcError(errorCode.unavailable, 'The hub is stopping; the call was ended.')
      listeners.closeAll()
      modern.abortAll(reason)
      pairs.endAll(reason)
      lines.endAll(reason)
      await connections.stop(reason)
    },
    get isBusy() {
      return modern.running > 0 || connections.isBusy || pairs.isBusy || lines.isBusy
    },
    counts: () => ({ connections: connections.size + pairs.size + lines.size, listeners: listeners.size }),
  }
}
