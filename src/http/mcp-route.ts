/** `/mcp` (both eras) and the 2024 pair `/sse`, `/messages`: from `node:http` to the endpoint and back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'
import type { Endpoint, Face, HttpRequestContext, Reply } from '../endpoint/endpoint.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import type { RpcMessage } from '../mcp/mcp.ts'
import { inTurn } from './long-bodies.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './send.ts'
import type { SseStreams } from './sse.ts'
import { readToolsets } from './toolsets.ts'

/** A request whose token was accepted. */
export interface McpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly caller: Principal
  readonly query: string
}

export interface McpRoute {
  post(exchange: McpExchange): Promise<void>
  listen(exchange: McpExchange): Promise<void>
  delete(exchange: McpExchange): Promise<void>
  openSse(exchange: McpExchange): void
  postToSse(exchange: McpExchange): Promise<void>
}

export interface McpRouteOptions {
  readonly endpoint: Endpoint
  readonly faceOf: (caller: Principal) => Face
  readonly streams: SseStreams
  readonly maxBodyBytes: number
  /** The setting that limits it, for people. */
  readonly bodySetting: string
}

export function createMcpRoute(options: McpRouteOptions): McpRoute {
  const { endpoint, faceOf, streams, maxBodyBytes, bodySetting } = options

  function contextOf({ request, caller, query }: McpExchange): HttpRequestContext {
    const toolsets = query === '' ? undefined : readToolsets(query)
    return {
      caller,
      face: faceOf(caller),
      header: (name) => request.headers[name] as string | undefined,
      ...(toolsets && { toolsets }),
    }
  }

  async function takeMessage<Result>(
    { request, caller }: McpExchange,
    take: (text: string) => Result | Promise<Result>,
  ): Promise<Result> {
    assertJson(request)
    const text = await readBody(request, maxBodyBytes, bodySetting)
    return inTurn(caller, text, () => {
      if (endpoint.hasDropped(caller.tokenId)) {
        throw new HubError('unauthorized', 'The token was revoked or has expired.')
      }
      return take(text)
    })
  }

  return {
    async post(exchange) {
      const { request, response } = exchange
      const context = contextOf(exchange)
      if (!accepts(request, 'application/json') && !accepts(request, 'text/event-stream')) {
        throw notAcceptable('Accept application/json and text/event-stream: POST answers with one of them.')
      }
      return takeMessage(exchange, (text) => endpoint.post(text, context, replyTo(request, response, streams)))
    },

    async listen(exchange) {
      const context = contextOf(exchange)
      if (!accepts(exchange.request, 'text/event-stream')) {
        throw notAcceptable('GET opens a stream: accept text/event-stream. Messages are sent with POST.')
      }
      const listen = await endpoint.get(context)
      return listen(streams.open(exchange.response))
    },

    async delete(exchange) {
      await endpoint.delete(contextOf(exchange))
      exchange.response.writeHead(204).end()
    },

    openSse(exchange) {
      const join = endpoint.openSse(contextOf(exchange))
      const outlet = streams.open(exchange.response)
      outlet.event('endpoint', `/messages?connection=${join(outlet)}`)
    },

    async postToSse(exchange) {
      const id = new URLSearchParams(exchange.query).get('connection')
      if (id === null)
        throw new HubError('invalid', 'The query lacks "connection": use the address that /sse gave you.')
      await takeMessage(exchange, (text) => endpoint.postToSse(id, text, contextOf({ ...exchange, query: '' })))
      exchange.response.writeHead(202).end()
    },
  }
}

function replyTo(request: IncomingMessage, response: ServerResponse, streams: SseStreams): Reply {
  return {
    canStream: accepts(request, 'text/event-stream'),
    json(body: RpcMessage | readonly RpcMessage[], { status = 200, headers } = {}) {
      if (!response.headersSent) sendJson(response, status, body, headers)
    },
    accepted: () => void response.writeHead(202).end(),
    stream: () => streams.open(response),
    onGone(listener) {
      response.once('close', () => {
        if (!response.writableFinished) listener()
      })
    },
  }
}

function assertJson(request: IncomingMessage): void {
  const type = request.headers['content-type']
  if (type === undefined || !/^application\/json\s*(;|$)/i.test(type)) {
    throw new RpcError(errorCode.invalidRequest, 'Send the message as Content-Type: application/json.', { status: 415 })
  }
}

function notAcceptable(message: string): RpcError {
  return new RpcError(errorCode.invalidRequest, message, { status: 406 })
}

function accepts(request: IncomingMessage, type: string): boolean {
  const accept = request.headers.accept
  return accept === undefined || accept.includes(type) || accept.includes('*/*')
}
