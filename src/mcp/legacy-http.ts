/** Streamable HTTP of the legacy revisions: what POST, GET and DELETE mean for a connection. */
import { randomBytes } from 'node:crypto'
import type { Log } from '../base/log.ts'
import { createPatience } from '../base/patience.ts'
import type { RequestChannel } from './connection.ts'
import type { ConnectionRecords } from './connection-records.ts'
import type { Connections, HttpConnection } from './connections.ts'
import { noticesStreamId, primingSince } from './connections.ts'
import { initializeResult, readInitialize } from './initialize.ts'
import type { Outlet, Reply } from './reply.ts'
import type { ResumableStream } from './resumable-stream.ts'
import { createResumableStream, parseEventId, sendPaced, writeEvent } from './resumable-stream.ts'
import type { HttpVisit, Visit } from './visit.ts'
import type { RpcMessage, RpcRequest, RpcResponse } from './wire.ts'
import {
  batchVersion,
  errorCode,
  isLegacyVersion,
  isRequest,
  isResponse,
  modernVersion,
  RpcError,
  success,
} from './wire.ts'

export interface LegacyHttp {
  post(message: RpcMessage, visit: HttpVisit, reply: Reply): Promise<void>
  /** Only 2025-03-26 had batches. */
  postBatch(messages: readonly RpcMessage[], visit: HttpVisit, reply: Reply): Promise<void>
  /** Checks first, so that a refusal can still be a status. */
  get(visit: HttpVisit): Promise<(outlet: Outlet) => Promise<void>>
  delete(visit: HttpVisit): Promise<void>
}

/** A call that takes longer is given a stream, so that its client can lose it and come back. */
const patienceMs = 1_000
const maxBatch = 100

export interface LegacyHttpOptions {
  readonly connections: Connections
  readonly records: ConnectionRecords
  readonly log: Log
}

export function createLegacyHttp({ connections, records, log }: LegacyHttpOptions): LegacyHttp {
  const patience = createPatience(patienceMs)
  const onError = (error: unknown) => log.error({ error }, 'the store of connections failed')

  return {
    async post(message, visit, reply) {
      if (isRequest(message) && message.method === 'initialize') return initialize(message, visit, reply)
      const connection = await findConnection(visit)
      if (isRequest(message)) return connection.request(message, visit, channelFor(connection, message, visit, reply))
      receive(connection, message, visit)
      reply.accepted()
    },

    async postBatch(messages, visit, reply) {
      const connection = await findConnection(visit)
      if (connection.client.version !== batchVersion) {
        throw invalid(
          `JSON-RPC batches exist in ${batchVersion} only; this connection speaks ${connection.client.version}.`,
        )
      }
      if (messages.length > maxBatch) throw invalid(`A batch may hold at most ${maxBatch} messages.`)
      const requests = messages.filter(isRequest)
      if (requests.some(({ method }) => method === 'initialize')) throw invalid('initialize cannot be part of a batch.')
      for (const message of messages) if (!isRequest(message)) receive(connection, message, visit)
      if (requests.length === 0) return reply.accepted()
      reply.json(await Promise.all(requests.map((request) => answerInBatch(connection, request, visit, reply))))
    },

    async get(visit) {
      const connection = await findConnection(visit)
      const lastEventId = visit.header('last-event-id')
      const from = lastEventId === undefined ? undefined : parseEventId(lastEventId)
      if (lastEventId !== undefined && !from) throw invalid('Last-Event-ID is none of ours.')
      if (from && from.streamId !== noticesStreamId) return resume(connection, from)
      return async (outlet) => {
        const { notices, queue, subscriptions } = connection
        outlet.onDrain(queue.flush)
        const isWhole = from ? await notices.attach(outlet, from.seq) : await notices.attachAnew(outlet)
        // Part of what it missed is no longer stored: everything it subscribed to may have changed.
        if (!isWhole) for (const topic of subscriptions) queue.mark(topic)
        queue.flush()
      }
    },

    async delete(visit) {
      await connections.remove(await findConnection(visit))
    },
  }

  async function initialize({ id, params }: RpcRequest, visit: HttpVisit, reply: Reply): Promise<void> {
    const client = readInitialize(params ?? {})
    const connection = await connections.create(client, visit)
    reply.json(success(id, initializeResult(client, visit.face)), { headers: { 'Mcp-Session-Id': connection.id } })
  }

  async function findConnection(visit: HttpVisit): Promise<HttpConnection> {
    const version = visit.header('mcp-protocol-version')
    // Some clients go on naming another revision than the one negotiated; any that we speak will do.
    if (version !== undefined && !isLegacyVersion(version) && version !== modernVersion) {
      throw new RpcError(errorCode.invalidRequest, `Unsupported MCP-Protocol-Version: ${version.slice(0, 40)}`, {
        status: 400,
      })
    }
    const id = visit.header('mcp-session-id')
    if (id === undefined)
      throw invalid('Mcp-Session-Id is missing: send initialize first, then its id with each request.')
    const connection = await connections.find(id, visit.caller)
    if (connection) return connection
    throw new RpcError(errorCode.unavailable, 'No such connection: send initialize again.', { status: 404 })
  }

  function channelFor(connection: HttpConnection, request: RpcRequest, visit: HttpVisit, reply: Reply): RequestChannel {
    const canPrime = connection.client.version >= primingSince
    const canStream = () => reply.canStream && !answersOnce(request, visit)
    let stream: ResumableStream | undefined
    let leave = () => {}

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

    const stopWaiting = patience.watch(() => {
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
      releaseStream: (retryMs) => {
        if (canPrime && canStream()) void upgrade().release(retryMs)
      },
    }
  }

  function answerInBatch(
    connection: HttpConnection,
    request: RpcRequest,
    visit: HttpVisit,
    reply: Reply,
  ): Promise<RpcResponse> {
    return new Promise((resolve) => {
      void connection.request(request, visit, {
        canStream: () => false,
        emit: () => {},
        finish: resolve,
        onLeft: reply.onGone,
        releaseStream: () => {},
      })
    })
  }

  /** The stream of a request: still running here, or finished and kept for a while. */
  async function resume(connection: HttpConnection, from: { streamId: string; seq: number }) {
    const running = connection.streams.get(from.streamId)
    if (running) return async (outlet: Outlet) => void (await running.attach(outlet, from.seq))
    const { events = [] } = (await records.readStream(connection.id, from.streamId, from.seq)) ?? {}
    if (events.length === 0) {
      // The one status that makes the SDKs stop asking.
      throw new RpcError(errorCode.invalidRequest, 'Nothing more comes on this stream.', { status: 405 })
    }
    return async (outlet: Outlet) => {
      await sendPaced(outlet, events, (event) => writeEvent(outlet, from.streamId, event))
      outlet.end()
    }
  }
}

/** What a stream carries is kept for those who lose it; some answers must not be. */
function answersOnce({ method, params }: RpcRequest, { face }: Visit): boolean {
  const name = method === 'tools/call' ? params?.['name'] : undefined
  return typeof name === 'string' && face.findTool(name)?.answersOnce === true
}

function receive(connection: HttpConnection, message: Exclude<RpcMessage, RpcRequest>, visit: Visit): void {
  if (isResponse(message)) connection.respond(message)
  else connection.notify(message, visit)
}

function invalid(message: string): RpcError {
  return new RpcError(errorCode.invalidRequest, message, { status: 400 })
}
