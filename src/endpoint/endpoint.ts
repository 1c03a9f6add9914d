/**
 * The endpoint: MCP of both eras on one URL, independent of the transport.
 *
 *   body → messages → era → connection (legacy) or single request (modern) → method → face → provider
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import type { Notices, RequestId } from '../mcp/mcp.ts'
import { errorCode, failureOf, isRequest, RpcError } from '../mcp/mcp.ts'
import type { ConnectionRecords } from './connection-records.ts'
import { createConnections } from './connections.ts'
import { eraOf } from './era.ts'
import { createInFlight } from './in-flight.ts'
import { createLegacyHttp } from './legacy-http.ts'
import type { LineConnection } from './line-connections.ts'
import { createLineConnections } from './line-connections.ts'
import { createListeners } from './listen.ts'
import { createModern } from './modern.ts'
import { asBatch, asMessage, checkMessage, parseBody } from './parse.ts'
import type { Outlet, Reply } from './reply.ts'
import { createRequestState } from './request-state.ts'
import { createSsePairs } from './sse-pair.ts'
import { createSubscriptionQuota } from './subscription-quota.ts'
import type { CallerLookup, HttpRequestContext, RequestContext } from './request-context.ts'

export type * from './connection-records.ts'
export { createFace } from './face.ts'
export type { Face } from './face.ts'
export { ownUris } from './face-resources.ts'
export type { LineConnection } from './line-connections.ts'
export type { Outlet, Reply } from './reply.ts'
export { createSettleLayer } from './settle-layer.ts'
export type { CallerLookup, HttpRequestContext, RequestContext } from './request-context.ts'

export interface Endpoint {
  /** Its connections are stored under this id, so that they are its own again after a restart. */
  readonly id: string
  post(text: string, context: HttpRequestContext, reply: Reply): Promise<void>
  /** Throws if the stream must not be opened. Otherwise returns the function that serves the open stream. */
  get(context: HttpRequestContext): Promise<(outlet: Outlet) => Promise<void>>
  delete(context: HttpRequestContext): Promise<void>
  /**
   * HTTP+SSE of 2024-11-05. Throws if the stream must not be opened. The function it returns gives the id for
   * `postToSse`.
   */
  openSse(context: RequestContext): (outlet: Outlet) => string
  postToSse(id: string, text: string, context: RequestContext): void
  /** A connection with one message per line. It ends with its outlet. Throws if there are too many. */
  openLines(context: RequestContext, outlet: Outlet): LineConnection
  /** Ends all connections, streams and calls of a token. */
  dropToken(tokenId: string): Promise<void>
  /** True once a token has ended: its requests that are still being read must be refused. */
  hasDropped(tokenId: string): boolean
  /** Reopens the connections of an earlier hub. */
  restore(callers: CallerLookup): Promise<void>
  sweep(): Promise<void>
  /** Notifies the streams that the hub stops, and ends the running calls. */
  stop(): Promise<void>
  /** True while any call runs. */
  readonly isBusy: boolean
  counts(): { connections: number; listeners: number }
}

export interface EndpointOptions {
  readonly records: ConnectionRecords
  readonly notices: Notices
  readonly log: Log
  /** Authenticates the `requestState` that clients send back. Each endpoint has its own key. */
  readonly stateKey: Uint8Array
  readonly maxConnectionsPerToken: number
  readonly maxSubscriptionsPerSession: number
  readonly maxCallsPerToken: number
  /** The most keys and array elements in one message, at all depths. */
  readonly maxCallMembers: number
  readonly connectionIdleMs: number
  readonly onConnectionsChange: () => void
}

/** How long running calls of an ended token may take to finish. */
const dropGraceMs = 200

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { records, notices, log, maxConnectionsPerToken: maxPerToken, connectionIdleMs: idleMs } = options
  const { onConnectionsChange: onChange, maxCallMembers: maxMembers } = options
  const quota = createSubscriptionQuota(options.maxSubscriptionsPerSession)
  const inFlight = createInFlight(options.maxCallsPerToken)
  const limits = { quota, inFlight, maxPerToken }
  const connections = createConnections({ records, notices, log, ...limits, idleMs, onChange })
  const legacy = createLegacyHttp({ connections, records, log })
  const listeners = createListeners({ notices, quota, maxPerToken })
  const modern = createModern({ listeners, inFlight, requestState: createRequestState(options.stateKey), log })
  const pairs = createSsePairs({ notices, log, ...limits })
  const lines = createLineConnections({ modern, notices, log, maxMembers, ...limits })
  const dropped = new Set<string>()
  const onBug = (error: unknown) => log.error({ error }, 'a request failed')

  return {
    id: records.endpoint,
    async post(text, context, reply) {
      let id: RequestId | null = null
      try {
        const body = parseBody(text, maxMembers)
        if (Array.isArray(body.json)) return await legacy.postBatch(asBatch(body), context, reply)
        const sent = asMessage(body.json)
        if (isRequest(sent)) id = sent.id
        const message = checkMessage(sent, body)
        const { header } = context
        const era = eraOf(message, { version: header('mcp-protocol-version'), method: header('mcp-method') })
        if (era === 'legacy') return await legacy.post(message, context, reply)
        if (isRequest(message)) return await modern.serve(message, context, reply)
        reply.accepted()
      } catch (error) {
        const { response, status } = failureOf(id, error, onBug)
        reply.json(response, { status })
      }
    },
    get: (context) => legacy.get(context),
    delete: (context) => legacy.delete(context),
    openSse: (context) => pairs.open(context),
    postToSse: (id, text, context) => pairs.post(id, parseBody(text, maxMembers), context),
    openLines: (context, outlet) => lines.open(context, outlet),
    async dropToken(tokenId) {
      const reason = new RpcError(errorCode.unavailable, 'The token was revoked or has expired.')
      dropped.add(tokenId)
      // The call that revoked the token may itself still be running.
      await sleep(dropGraceMs)
      listeners.closeAll(tokenId)
      modern.abortAll(reason, tokenId)
      pairs.endAll(reason, tokenId)
      lines.endAll(reason, tokenId)
      await connections.removeOfToken(tokenId)
    },
    hasDropped: (tokenId) => dropped.has(tokenId),
    restore: (callers) => connections.restore(callers),
    sweep: () => connections.sweep(),
    async stop() {
      const reason = new RpcError(errorCode.unavailable, 'The hub is stopping and ended the call.')
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
