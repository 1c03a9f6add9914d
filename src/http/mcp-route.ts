/** `/mcp` (both eras) and the 2024 pair `/sse`, `/messages`: from `node:http` to the endpoint and back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'
import type { Endpoint, Face, HttpVisit, Reply, RpcMessage } from '../mcp/mcp.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './send.ts'
import type { SseStreams } from './sse.ts'
import { readToolsets } from './toolsets.ts'

export interface McpRoute {
  mcp(request: IncomingMessage, response: ServerResponse, caller: Principal, query: string): Promise<void>
  openSse(request: IncomingMessage, response: ServerResponse, caller: Principal, query: string): void
  postToSse(request: IncomingMessage, response: ServerResponse, caller: Principal, query: string): Promise<void>
}

export interface McpRouteOptions {
  readonly endpoint: Endpoint
  readonly faceOf: (caller: Principal) => Face
  readonly streams: SseStreams
  readonly maxBodyBytes: number
}

export function createMcpRoute({ endpoint, faceOf, streams, maxBodyBytes }: McpRouteOptions): McpRoute {
  function visitOf(request: IncomingMessage, caller: Principal, query: string): HttpVisit {
    const toolsets = query === '' ? undefined : readToolsets(query)
    return {
      caller,
      face: faceOf(caller),
      header: (name) => request.headers[name] as string | undefined,
      ...(toolsets && { toolsets }),
    }
  }

  async function readMessage(request: IncomingMessage, { tokenId }: Principal): Promise<string> {
    assertJson(request)
    const text = await readBody(request, maxBodyBytes)
    if (endpoint.hasDropped(tokenId)) throw new HubError('unauthorized', 'The token was revoked or has expired.')
    return text
  }

  return {
    async mcp(request, response, caller, query) {
      const visit = visitOf(request, caller, query)
      switch (request.method) {
        case 'POST': {
          if (!accepts(request, 'application/json') && !accepts(request, 'text/event-stream')) {
            throw notAcceptable('Accept application/json and text/event-stream: POST answers with one of them.')
          }
          const text = await readMessage(request, caller)
          return endpoint.post(text, visit, replyTo(request, response, streams))
        }
        case 'GET': {
          if (!accepts(request, 'text/event-stream')) {
            throw notAcceptable('GET opens a stream: accept text/event-stream. Messages are sent with POST.')
          }
          const listen = await endpoint.get(visit)
          return listen(streams.open(response))
        }
        case 'DELETE':
          await endpoint.delete(visit)
          response.writeHead(204).end()
          return
        default:
          refuseMethod(response, 'GET, POST, DELETE')
      }
    },

    openSse(request, response, caller, query) {
      if (request.method !== 'GET') return refuseMethod(response, 'GET')
      const join = endpoint.openSse(visitOf(request, caller, query))
      const outlet = streams.open(response)
      outlet.event('endpoint', `/messages?connection=${join(outlet)}`)
    },

    async postToSse(request, response, caller, query) {
      if (request.method !== 'POST') return refuseMethod(response, 'POST')
      const id = new URLSearchParams(query).get('connection')
      if (id === null)
        throw new HubError('invalid', 'The query lacks "connection": use the address that /sse gave you.')
      const text = await readMessage(request, caller)
      endpoint.postToSse(id, text, visitOf(request, caller, ''))
      response.writeHead(202).end()
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

function refuseMethod(response: ServerResponse, allowed: string): void {
  response.setHeader('Allow', allowed)
  sendJson(response, 405, { error: `Use ${allowed}.` })
}

function accepts(request: IncomingMessage, type: string): boolean {
  const accept = request.headers.accept
  return accept === undefined || accept.includes(type) || accept.includes('*/*')
}
