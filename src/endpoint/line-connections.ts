/**
 * Connections over a byte stream with one message per line, as on stdio and on unix sockets. Both eras share the stream:
 * each request names its era. There are no headers to compare, and a message cancels a request.
 */
import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import { InFlightMap } from '../base/in-flight-map.ts'
import type { Log } from '../base/log.ts'
import type { Notices, RequestId, RpcMessage, RpcRequest } from '../mcp/mcp.ts'
import { batchVersion, errorCode, failureOf, isRequest, RpcError } from '../mcp/mcp.ts'
import { eraOfBody } from './era.ts'
import type { InFlight } from './in-flight.ts'
import type { LineReply } from './line-reply.ts'
import { createLineReply } from './line-reply.ts'
import type { Modern } from './modern.ts'
import type { Body } from './parse.ts'
import { asBatch, asMessage, checkMessage, parseBody } from './parse.ts'
import type { Outlet } from './reply.ts'
import { createStreamConnection } from './stream-connection.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { RequestContext } from './request-context.ts'

export interface LineConnection {
  /** Takes one line without its line ending. Empty lines are ignored. */
  receive(line: Uint8Array): void
  /** Resolves when every running request has been answered. */
  settled(): Promise<void>
}

export interface LineConnections {
  readonly size: number
  readonly isBusy: boolean
  /** The connection ends with its outlet. Throws if there are too many. */
  open(context: RequestContext, outlet: Outlet): LineConnection
  /** Ends the connections of one token, or all. */
  endAll(reason: RpcError, tokenId?: string): void
}

export interface LineConnectionsOptions {
  readonly modern: Modern
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly inFlight: InFlight
  readonly log: Log
  readonly maxPerToken: number
  /** The most keys and array elements in one message. */
  readonly maxMembers: number
}

interface OpenConnection extends LineConnection {
  readonly tokenId: string
  readonly isBusy: boolean
  end(reason: RpcError): void
}

export function createLineConnections(options: LineConnectionsOptions): LineConnections {
  const { maxPerToken } = options
  const connections = new Set<OpenConnection>()

  return {
    get size() {
      return connections.size
    },
    get isBusy() {
      return connections.values().some((connection) => connection.isBusy)
    },
    open(context, outlet) {
      const { tokenId } = context.caller
      if ([...connections].filter((connection) => connection.tokenId === tokenId).length >= maxPerToken) {
        throw new HubError(
          'busy',
          `This socket has ${maxPerToken} connections open, which is the limit. Close one first.`,
        )
      }
      const connection = createLineConnection(context, outlet, options)
      connections.add(connection)
      outlet.onClose(() => connections.delete(connection))
      return connection
    },
    endAll(reason, tokenId) {
      for (const connection of connections) {
        if (tokenId === undefined || connection.tokenId === tokenId) connection.end(reason)
      }
    },
  }
}

function createLineConnection(
  context: RequestContext,
  outlet: Outlet,
  options: LineConnectionsOptions,
): OpenConnection {
  const { modern, notices, quota, inFlight, log, maxMembers } = options
  const legacy = createStreamConnection({
    id: randomBytes(18).toString('base64url'),
    outlet,
    notices,
    quota,
    inFlight,
    log,
  })
  /** Open modern requests, including subscriptions, which are answered only when they end. */
  const open = new InFlightMap<RequestId, LineReply>()
  const running = new Set<Promise<void>>()
  const onBug = (error: unknown) => log.error({ error }, 'a request failed')

  outlet.onDrain(() => {
    for (const reply of open.values()) reply.drained()
  })
  outlet.onClose(() => {
    legacy.close(new RpcError(errorCode.cancelled, 'The stream was closed.'))
    for (const reply of open.values()) reply.leave()
  })

  function receiveMessage(message: RpcMessage): void {
    if (isRequest(message) && eraOfBody(message) === 'modern') return serveModern(message)
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) open.get(cancelled)?.leave()
    legacy.receive(message, context)
  }

  function receiveBatch(body: Body): void {
    if (legacy.client?.version !== batchVersion) {
      throw new RpcError(
        errorCode.invalidRequest,
        `Send one message per line: only revision ${batchVersion} has batches.`,
      )
    }
    for (const message of asBatch(body)) legacy.receive(message, context)
  }

  function serveModern(request: RpcRequest): void {
    if (open.has(request.id)) throw new RpcError(errorCode.invalidRequest, 'A request with this id is still running.')
    const reply = createLineReply(outlet, () => open.delete(request.id))
    open.set(request.id, reply)
    const serving = modern
      .serve(request, context, reply)
      .catch((error: unknown) => reply.json(failureOf(request.id, error, onBug).response))
      .finally(() => running.delete(serving))
    running.add(serving)
  }

  async function settled(): Promise<void> {
    await Promise.all([...running, legacy.settled()])
  }

  return {
    tokenId: context.caller.tokenId,
    get isBusy() {
      return running.size > 0 || legacy.isBusy
    },
    receive(line) {
      if (line.length === 0) return
      let id: RequestId | null = null
      try {
        const body = parseLine(line, maxMembers)
        if (Array.isArray(body.json)) return receiveBatch(body)
        const message = asMessage(body.json)
        if (isRequest(message)) id = message.id
        receiveMessage(checkMessage(message, body))
      } catch (error) {
        outlet.send(failureOf(id, error, onBug).response)
      }
    },
    settled,
    end(reason) {
      legacy.close(reason)
      void settled().then(() => outlet.end())
    },
  }
}

function parseLine(line: Uint8Array, maxMembers: number): Body {
  if (!isUtf8(line)) throw new RpcError(errorCode.parse, 'The line is not UTF-8.')
  return parseBody(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8'), maxMembers)
}

function cancelledBy(message: RpcMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
