/** A legacy connection that lives as long as the one stream to its client. */
import type { Log } from '../base/log.ts'
import type { Client, Notices, RpcMessage, RpcRequest } from '../mcp/mcp.ts'
import { errorCode, failure, isRequest, isResponse, noticeOf, RpcError, success } from '../mcp/mcp.ts'
import type { Connection, RequestChannel } from './connection.ts'
import { createConnection } from './connection.ts'
import type { InFlight } from './in-flight.ts'
import { initializeResult, readInitialize } from './initialize.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { Outlet } from './reply.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { RequestContext } from './request-context.ts'

export interface StreamConnection {
  /** `undefined` until the client has sent `initialize`. */
  readonly client: Client | undefined
  readonly isBusy: boolean
  receive(message: RpcMessage, context: RequestContext): void
  close(reason: RpcError): void
  /** Resolves when every running request has been answered. */
  settled(): Promise<void>
}

export interface StreamConnectionOptions {
  readonly id: string
  readonly outlet: Outlet
  /** From the address of the stream, if given. */
  readonly toolsets?: readonly string[] | undefined
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly inFlight: InFlight
  readonly log: Log
}

export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { id, outlet, toolsets, notices, quota, inFlight, log } = options
  const channel = channelTo(outlet)
  let connection: Connection | undefined

  function receiveRequest(request: RpcRequest, context: RequestContext): void {
    if (request.method === 'initialize') {
      try {
        if (connection) throw new RpcError(errorCode.invalidRequest, 'This connection is already initialized.')
        connection = start(request, context)
        outlet.send(success(request.id, initializeResult(connection.client, context.face)))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        outlet.send(failure(request.id, error))
      }
    } else if (connection) void connection.request(request, context, channel)
    else outlet.send(failure(request.id, { code: errorCode.invalidRequest, message: 'Send initialize first.' }))
  }

  function start({ params }: RpcRequest, { caller, face }: RequestContext): Connection {
    const subscriber = createNoticeQueue({
      faceId: face.id,
      isReady: () => outlet.isOpen && outlet.isReady,
      deliver: (topics) => {
        for (const topic of topics) outlet.send(noticeOf(topic))
      },
      send: (message) => outlet.send(message),
    })
    outlet.onDrain(subscriber.flush)
    return createConnection({
      id,
      caller,
      client: readInitialize(params ?? {}),
      face,
      notices,
      quota,
      inFlight,
      subscriber,
      log,
      ...(toolsets && { toolsets }),
    })
  }

  return {
    get client() {
      return connection?.client
    },
    get isBusy() {
      return connection?.isBusy === true
    },
    receive(message, context) {
      if (isRequest(message)) receiveRequest(message, context)
      else if (isResponse(message)) connection?.respond(message)
      else connection?.notify(message, context)
    },
    close: (reason) => connection?.close(reason),
    settled: async () => connection?.settled(),
  }
}

function channelTo(outlet: Outlet): RequestChannel {
  return {
    canStream: () => true,
    emit: (message) => outlet.send(message),
    finish: (response) => outlet.send(response),
    // When the stream closes, the connection ends all its calls at once.
    onLeft: () => {},
    releaseStream: () => {},
    answerIfLost: async () => {},
  }
}
