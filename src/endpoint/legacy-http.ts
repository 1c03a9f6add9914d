/** Streamable HTTP of the legacy revisions: POST, GET and DELETE of a connection. */
import { randomBytes } from 'node:crypto'
import type { Log } from '../base/log.ts'
import { createSlowTimer } from '../base/slow-timer.ts'
import type { RpcMessage, RpcRequest, RpcResponse } from '../mcp/mcp.ts'
import {
  batchVersion,
  errorCode,
  isLegacyVersion,
  isRecord,
  isRequest,
  isResponse,
  modernVersion,
  RpcError,
  success,
} from '../mcp/mcp.ts'
import type { RequestChannel } from './connection.ts'
import type { ConnectionRecords } from './connection-records.ts'
import type { Connections, HttpConnection } from './connections.ts'
import { noticesStreamId, primingSince } from './connections.ts'
import { initializeResult, readInitialize } from './initialize.ts'
import type { Outlet, Reply } from './reply.ts'
import type { ResumableStream } from './resumable-stream.ts'
import { createResumableStream, parseEventId, sendPaced, writeEvent } from './resumable-stream.ts'
import type { HttpRequestContext, RequestContext } from './request-context.ts'

export interface LegacyHttp {
  post(message: RpcMessage, context: HttpRequestContext, reply: Reply): Promise<void>
  /** Only 2025-03-26 has batches. */
  postBatch(messages: readonly RpcMessage[], context: HttpRequestContext, reply: Reply): Promise<void>
  /** Checks before the stream opens, so that a refusal can be an HTTP status. */
  get(context: HttpRequestContext): Promise<(outlet: Outlet) => Promise<void>>
  delete(context: HttpRequestContext): Promise<void>
}

/** A call that takes longer gets a stream, so that its client can disconnect and resume. */
const slowMs = 1_000
const maxBatch = 100

export interface LegacyHttpOptions {
  readonly connections: Connections
  readonly records: ConnectionRecords
  readonly log: Log
}

export function createLegacyHttp({ connections, records, log }: LegacyHttpOptions): LegacyHttp {
  const slowTimer = createSlowTimer(slowMs)
  const onError = (error: unknown) => log.error({ error }, 'cannot store connections')

  return {
    async post(message, context, reply) {
      if (isRequest(message) && message.method === 'initialize') return initialize(message, context, reply)
      const connection = await findConnection(context)
      if (isRequest(message))
        return connection.request(message, context, channelFor(connection, message, context, reply))
      receive(connection, message, context)
      reply.accepted()
    },

    async postBatch(messages, context, reply) {
      const connection = await findConnection(context)
      if (connection.client.version !== batchVersion) {
        throw invalid(
          `Only revision ${batchVersion} has JSON-RPC batches; this connection uses ${connection.client.version}. Send the messages one by one.`,
        )
      }
      if (messages.length > maxBatch) throw invalid(`A batch may hold at most ${maxBatch} messages.`)
      const requests = messages.filter(isRequest)
      if (requests.some(({ method }) => method === 'initialize'))
        throw invalid('A batch must not contain initialize. Send it alone.')
      for (const message of messages) if (!isRequest(message)) receive(connection, message, context)
      if (requests.length === 0) return reply.accepted()
      reply.json(await Promise.all(requests.map((request) => answerInBatch(connection, request, context, reply))))
    },

    async get(context) {
      const connection = await findConnection(context)
      const lastEventId = context.header('last-event-id')
      const from = lastEventId === undefined ? undefined : parseEventId(lastEventId)
      if (lastEventId !== undefined && !from)
        throw invalid('The hub did not issue this Last-Event-ID. Leave it out to start a new stream.')
      if (from && from.streamId !== noticesStreamId) return resume(connection, from)
      return async (outlet) => {
        const { notices, queue, subscriptions } = connection
        outlet.onDrain(queue.flush)
        const isWhole = from ? await notices.attach(outlet, from.seq) : await notices.attachWithoutId(outlet)
        // Some of the missed events are no longer stored, so every subscribed resource may have changed.
        if (!isWhole) for (const topic of subscriptions) queue.mark(topic)
        queue.flush()
      }
    },

    async delete(context) {
      await connections.remove(await findConnection(context))
    },
  }

  async function initialize({ id, params }: RpcRequest, context: HttpRequestContext, reply: Reply): Promise<void> {
    const client = readInitialize(params ?? {})
    const connection = await connections.create(client, context)
    reply.json(success(id, initializeResult(client, context.face)), { headers: { 'Mcp-Session-Id': connection.id } })
  }

  async function findConnection(context: HttpRequestContext): Promise<HttpConnection> {
    const version = context.header('mcp-protocol-version')
    // Some clients keep naming another revision than the negotiated one. Any revision that the hub speaks is accepted.
    if (version !== undefined && !isLegacyVersion(version) && version !== modernVersion) {
      throw new RpcError(errorCode.invalidRequest, `Unsupported MCP-Protocol-Version: ${version.slice(0, 40)}`, {
        status: 400,
      })
    }
    const id = context.header('mcp-session-id')
    if (id === undefined)
      throw invalid('The header Mcp-Session-Id is missing. Send initialize first, then its id with each request.')
    const connection = await connections.find(id, context)
    if (connection) return connection
    throw new RpcError(errorCode.unavailable, 'No such connection. Send initialize again.', { status: 404 })
  }

  function channelFor(
    connection: HttpConnection,
    request: RpcRequest,
    context: HttpRequestContext,
    reply: Reply,
  ): RequestChannel {
    const canPrime = connection.client.version >= primingSince
    const canStream = () => reply.canStream && !answersOnce(request, context)
    let stream: ResumableStream | undefined
    let leave = () => {}
    let isAway = false
    let onAway: (isAway: boolean) => void = () => {}

    function upgrade(): ResumableStream {
      if (stream) return stream
      stopWaiting()
      const id = randomBytes(8).toString('hex')
      stream = createResumableStream({
        records,
        connectionId: connection.id,
        id,
        requestId: request.id,
        canPrime,
        onDeserted: () => leave(),
        onReaders(hasReaders) {
          isAway = !hasReaders
          onAway(isAway)
        },
        onError,
      })
      connection.streams.set(id, stream)
      void stream.attach(reply.stream())
      if (canPrime) void stream.push([undefined])
      return stream
    }

    async function finish(response: RpcResponse): Promise<void> {
      stopWaiting()
      if (!stream) return reply.json(response)
      await stream.push([response])
      await stream.complete()
      for (const [id, own] of connection.streams) if (own === stream) connection.streams.delete(id)
    }

    const stopWaiting = slowTimer.watch(() => {
      if (canStream()) upgrade()
    })
    reply.onGone(() => {
      if (!stream) leave()
    })
    return {
      canStream,
      emit: (message) => {
        if (canStream()) void upgrade().push([message])
      },
      finish,
      onLeft: (listener) => (leave = listener),
      onAway(listener) {
        onAway = listener
        if (isAway) listener(true)
      },
      releaseStream: (retryMs) => {
        if (canPrime && canStream()) void upgrade().release(retryMs)
      },
      answerIfLost: async (response) => {
        if (canStream()) await upgrade().answerIfLost(response)
      },
    }
  }

  function answerInBatch(
    connection: HttpConnection,
    request: RpcRequest,
    context: HttpRequestContext,
    reply: Reply,
  ): Promise<RpcResponse> {
    return new Promise((resolve) => {
      void connection.request(request, context, {
        canStream: () => false,
        emit: () => {},
        finish: resolve,
        onLeft: reply.onGone,
        releaseStream: () => {},
        answerIfLost: async () => {},
      })
    })
  }

  /** Resumes the stream of a request that still runs, or that has finished and is kept for a while. */
  async function resume(connection: HttpConnection, from: { streamId: string; seq: number }) {
    const running = connection.streams.get(from.streamId)
    if (running) return async (outlet: Outlet) => void (await running.attach(outlet, from.seq))
    const { events = [] } = (await records.readStream(connection.id, from.streamId, from.seq)) ?? {}
    if (events.length === 0) {
      // The only status that makes the SDKs stop reconnecting.
      throw new RpcError(errorCode.invalidRequest, 'This stream has ended.', { status: 405 })
    }
    return async (outlet: Outlet) => {
      await sendPaced(outlet, events, (event) => writeEvent(outlet, from.streamId, event))
      outlet.end()
    }
  }
}

/** Answers on a stream are stored so that the client can resume. Some answers must not be stored. */
function answersOnce({ method, params }: RpcRequest, { face }: RequestContext): boolean {
  if (method !== 'tools/call' || !params) return false
  const find = (name: unknown) => (typeof name === 'string' ? face.findTool(name) : undefined)
  const { name, arguments: args } = params
  const tool = find(name)
  const called = tool?.isPassThrough && isRecord(args) ? find(args['name']) : tool
  return called?.answersOnce === true
}

function receive(connection: HttpConnection, message: Exclude<RpcMessage, RpcRequest>, context: RequestContext): void {
  if (isResponse(message)) connection.respond(message)
  else connection.notify(message, context)
}

function invalid(message: string): RpcError {
  return new RpcError(errorCode.invalidRequest, message, { status: 400 })
}
