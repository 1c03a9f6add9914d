/**
 * Connections over a stream of bytes with one message per line, as on stdio and on unix sockets. Both eras share it, and
 * each request says itself which it is of. There are no headers to cross-check, and a request is cancelled by a message.
 */
import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { failureOf } from './answer.ts'
import { eraOfBody } from './era.ts'
import type { LineReply } from './line-reply.ts'
import { createLineReply } from './line-reply.ts'
import type { Modern } from './modern.ts'
import type { Notices } from './notices.ts'
import type { Body } from './parse.ts'
import { asBatch, asMessage, parseBody, withExactNumbers } from './parse.ts'
import type { Outlet } from './reply.ts'
import { createStreamConnection } from './stream-connection.ts'
import type { Visit } from './visit.ts'
import type { RequestId, RpcMessage, RpcRequest } from './wire.ts'
import { batchVersion, errorCode, isRequest, RpcError } from './wire.ts'

export interface LineConnection {
  /** One line, without what ends it. Empty ones mean nothing. */
  receive(line: Uint8Array): void
  /** Everything that ran has been answered. */
  settled(): Promise<void>
}

export interface LineConnections {
  readonly size: number
  readonly isBusy: boolean
  /** It ends with its outlet. */
  open(visit: Visit, outlet: Outlet): LineConnection
  /** Of one token, or of all. */
  endAll(reason: RpcError, tokenId?: string): void
}

export interface LineConnectionsOptions {
  readonly modern: Modern
  readonly notices: Notices
  readonly log: Log
  readonly maxPerToken: number
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
    open(visit, outlet) {
      const { tokenId } = visit.caller
      if ([...connections].filter((connection) => connection.tokenId === tokenId).length >= maxPerToken) {
        throw new HubError('busy', `There are ${maxPerToken} connections here, the most there may be. Close one first.`)
      }
      const connection = createLineConnection(visit, outlet, options)
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

function createLineConnection(visit: Visit, outlet: Outlet, options: LineConnectionsOptions): OpenConnection {
  const { modern, notices, log } = options
  const legacy = createStreamConnection({ id: randomBytes(18).toString('base64url'), outlet, notices, log })
  /** Modern requests, with subscriptions, which are never answered while they last. */
  const open = new Map<RequestId, LineReply>()
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
    legacy.receive(message, visit)
  }

  function receiveBatch(body: Body): void {
    if (legacy.client?.version !== batchVersion) {
      throw new RpcError(errorCode.invalidRequest, `Send one message per line: batches exist in ${batchVersion} only.`)
    }
    for (const message of asBatch(body)) legacy.receive(message, visit)
  }

  function serveModern(request: RpcRequest): void {
    if (open.has(request.id)) throw new RpcError(errorCode.invalidRequest, 'A request with this id still runs.')
    const reply = createLineReply(outlet, () => open.delete(request.id))
    open.set(request.id, reply)
    const serving = modern
      .serve(request, visit, reply)
      .catch((error: unknown) => reply.json(failureOf(request.id, error, onBug).response))
      .finally(() => running.delete(serving))
    running.add(serving)
  }

  async function settled(): Promise<void> {
    await Promise.all([...running, legacy.settled()])
  }

  return {
    tokenId: visit.caller.tokenId,
    get isBusy() {
      return running.size > 0 || legacy.isBusy
    },
    receive(line) {
      if (line.length === 0) return
      let id: RequestId | null = null
      try {
        const body = parseLine(line)
        if (Array.isArray(body.json)) return receiveBatch(body)
        const message = asMessage(body.json)
        if (isRequest(message)) id = message.id
        receiveMessage(withExactNumbers(message, body))
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

function parseLine(line: Uint8Array): Body {
  if (!isUtf8(line)) throw new RpcError(errorCode.parse, 'The line is not UTF-8.')
  return parseBody(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8'))
}

function cancelledBy(message: RpcMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
