/**
 * HTTP+SSE of 2024-11-05: one stream that carries everything to the client, and a second address for what it sends.
 * Old clients still try it. Such a connection lives as long as its stream.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Connection, RequestChannel } from './connection.ts'
import { createConnection } from './connection.ts'
import { initializeResult, readInitialize } from './initialize.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { Notices } from './notices.ts'
import { noticeOf } from './notices.ts'
import type { Outlet } from './reply.ts'
import type { Visit } from './visit.ts'
import type { RpcMessage, RpcRequest } from './wire.ts'
import { errorCode, failure, isRequest, isResponse, RpcError, success } from './wire.ts'

export interface SsePairs {
  readonly size: number
  readonly isBusy: boolean
  /** Checks first; then joined to a stream it answers the id that the client sends its messages to. */
  open(visit: Visit): (outlet: Outlet) => string
  post(id: string, message: RpcMessage, visit: Visit): void
  /** Of one token, or of all. */
  endAll(reason: RpcError, tokenId?: string): void
}

interface Pair {
  readonly tokenId: string
  /** From the address of the stream, where given. */
  readonly toolsets: readonly string[] | undefined
  readonly outlet: Outlet
  connection: Connection | undefined
}

export function createSsePairs(options: { notices: Notices; log: Log; maxPerToken: number }): SsePairs {
  const { notices, log, maxPerToken } = options
  const pairs = new Map<string, Pair>()

  return {
    get size() {
      return pairs.size
    },
    get isBusy() {
      return pairs.values().some(({ connection }) => connection?.isBusy)
    },
    open({ caller: { tokenId }, toolsets }) {
      if ([...pairs.values()].filter((pair) => pair.tokenId === tokenId).length >= maxPerToken) {
        throw new HubError('busy', `This token has ${maxPerToken} streams open, the most it may. Close one first.`)
      }
      return (outlet) => {
        const id = randomBytes(18).toString('base64url')
        const pair: Pair = { tokenId, toolsets, outlet, connection: undefined }
        pairs.set(id, pair)
        outlet.onClose(() => {
          pairs.delete(id)
          pair.connection?.close(new RpcError(errorCode.cancelled, 'The stream was closed.'))
        })
        return id
      }
    },
    post(id, message, visit) {
      const pair = pairs.get(id)
      if (pair?.tokenId !== visit.caller.tokenId) {
        throw new RpcError(errorCode.unavailable, 'No such connection: open /sse again.', { status: 404 })
      }
      const { connection } = pair
      if (isRequest(message)) receiveRequest(id, pair, message, visit)
      else if (isResponse(message)) connection?.respond(message)
      else connection?.notify(message)
    },
    endAll(reason, tokenId) {
      for (const pair of pairs.values()) {
        if (tokenId !== undefined && pair.tokenId !== tokenId) continue
        pair.connection?.close(reason)
        void pair.connection?.settled().then(() => pair.outlet.end())
        if (!pair.connection) pair.outlet.end()
      }
    },
  }

  function receiveRequest(id: string, pair: Pair, request: RpcRequest, visit: Visit): void {
    const { outlet } = pair
    if (request.method === 'initialize') {
      try {
        if (pair.connection) throw new RpcError(errorCode.invalidRequest, 'initialize was sent before.')
        pair.connection = start(id, request, visit, pair)
        outlet.send(success(request.id, initializeResult(pair.connection.client, visit.face)))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        outlet.send(failure(request.id, error))
      }
    } else if (pair.connection) void pair.connection.request(request, visit, channelTo(outlet))
    else outlet.send(failure(request.id, { code: errorCode.invalidRequest, message: 'Send initialize first.' }))
  }

  function start(id: string, { params }: RpcRequest, visit: Visit, { outlet, toolsets }: Pair): Connection {
    const subscriber = createNoticeQueue({
      isReady: () => outlet.isOpen && outlet.isReady,
      deliver: (topics) => {
        for (const topic of topics) outlet.send(noticeOf(topic))
      },
    })
    outlet.onDrain(subscriber.flush)
    const { caller, face } = visit
    const client = readInitialize(params ?? {})
    return createConnection({
      id,
      tokenId: caller.tokenId,
      client,
      face,
      notices,
      subscriber,
      log,
      ...(toolsets && { toolsets }),
    })
  }
}

function channelTo(outlet: Outlet): RequestChannel {
  return {
    canStream: () => true,
    emit: (message) => outlet.send(message),
    finish: (response) => outlet.send(response),
    // The pair lives as long as its stream, and ends all its calls at once.
    onLeft: () => {},
    releaseStream: () => {},
  }
}
