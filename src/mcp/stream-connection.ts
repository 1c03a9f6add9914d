/** A legacy connection that lives as long as the one stream that carries everything to its client. */
import type { Log } from '../base/log.ts'
import type { Connection, RequestChannel } from './connection.ts'
import { createConnection } from './connection.ts'
import { initializeResult, readInitialize } from './initialize.ts'
import { createNoticeQueue } from './notice-queue.ts'
import type { Notices } from './notices.ts'
import { noticeOf } from './notices.ts'
import type { Client } from './provider.ts'
import type { Outlet } from './reply.ts'
import type { Visit } from './visit.ts'
import type { RpcMessage, RpcRequest } from './wire.ts'
import { errorCode, failure, isRequest, isResponse, RpcError, success } from './wire.ts'

export interface StreamConnection {
  /** `undefined` until it has sent `initialize`. */
  readonly client: Client | undefined
  readonly isBusy: boolean
  receive(message: RpcMessage, visit: Visit): void
  close(reason: RpcError): void
  /** Everything that ran has been answered. */
  settled(): Promise<void>
}

export interface StreamConnectionOptions {
  readonly id: string
  readonly outlet: Outlet
  /** From the address of the stream, where given. */
  readonly toolsets?: readonly string[] | undefined
  readonly notices: Notices
  readonly log: Log
}

export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { id, outlet, toolsets, notices, log } = options
  const channel = channelTo(outlet)
  let connection: Connection | undefined

  function receiveRequest(request: RpcRequest, visit: Visit): void {
    if (request.method === 'initialize') {
      try {
        if (connection) throw new RpcError(errorCode.invalidRequest, 'initialize was sent before.')
        connection = start(request, visit)
        outlet.send(success(request.id, initializeResult(connection.client, visit.face)))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        outlet.send(failure(request.id, error))
      }
    } else if (connection) void connection.request(request, visit, channel)
    else outlet.send(failure(request.id, { code: errorCode.invalidRequest, message: 'Send initialize first.' }))
  }

  function start({ params }: RpcRequest, { caller, face }: Visit): Connection {
    const subscriber = createNoticeQueue({
      faceId: face.id,
      isReady: () => outlet.isOpen && outlet.isReady,
      deliver: (topics) => {
        for (const topic of topics) outlet.send(noticeOf(topic))
      },
      tell: (message) => outlet.send(message),
    })
    outlet.onDrain(subscriber.flush)
    return createConnection({
      id,
      tokenId: caller.tokenId,
      client: readInitialize(params ?? {}),
      face,
      notices,
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
    receive(message, visit) {
      if (isRequest(message)) receiveRequest(message, visit)
      else if (isResponse(message)) connection?.respond(message)
      else connection?.notify(message, visit)
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
    // The connection lives as long as its stream, and ends all its calls at once.
    onLeft: () => {},
    releaseStream: () => {},
  }
}
