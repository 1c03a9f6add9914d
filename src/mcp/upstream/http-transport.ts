/**
 * Streamable HTTP, of both eras. Each message is a POST of its own; the answer to a request is one JSON body or a stream of
 * events. A legacy upstream may know a connection by its `Mcp-Session-Id`, and has a GET stream for what belongs to no
 * request.
 */
import { HubError } from '../../base/hub-error.ts'
import type { RequestId, RpcMessage, RpcRequest } from '../wire.ts'
import { isRequest, modernVersion } from '../wire.ts'
import { createAnswer } from './http-answer.ts'
import type { Answer } from './http-answer.ts'
import { beginningOfText, noBody } from './http-body.ts'
import type { Headers, HttpAuth, HttpClient, ResponseHeaders } from './http-client.ts'
import { headerText, lowerCased, openHttpClient } from './http-client.ts'
import { followEvents } from './http-follow.ts'
import type { Following } from './http-follow.ts'
import { isForgotten, refusalAnswer, refusalError } from './http-refusal.ts'
import { deliver } from './incoming.ts'
import type { SendOptions, TransportListener, UpstreamTransport } from './transport.ts'
import { defaultMaxMessageBytes, NotSent } from './transport.ts'

export interface HttpTransportOptions {
  readonly url: string
  readonly headers: Headers
  readonly maxMessageBytes?: number
  /** A stream that is to stay open and has been silent for so long counts as dead. */
  readonly heartbeatMs?: number
  readonly auth?: HttpAuth
}

const quotedBytes = 64 * 1024
const farewellMs = 2_000

export function createHttpTransport(options: HttpTransportOptions): UpstreamTransport {
  const { maxMessageBytes = defaultMaxMessageBytes, heartbeatMs } = options
  const answers = new Map<RequestId, Answer>()
  let client: HttpClient | undefined
  let listener: TransportListener | undefined
  let version: string | undefined
  let sessionId: string | undefined
  let listening: Following | undefined
  let isClosed = false

  function stateHeaders(): Record<string, string> {
    const headers: Record<string, string> = {}
    if (sessionId !== undefined) headers['mcp-session-id'] = sessionId
    if (version !== undefined) headers['mcp-protocol-version'] = version
    return headers
  }

  function post(message: RpcMessage, own: Headers | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (!client || !listener) return Promise.reject(new NotSent('The upstream is closed.'))
    const to = listener
    const { origin } = client
    const request = isRequest(message) ? message : undefined
    const sentSession = sessionId
    const answer =
      request && createAnswer({ request, client, listener: to, abandoned: resolve, ...answerOptions(request) })
    const exchange = client.send(
      {
        method: 'POST',
        body: JSON.stringify(message),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...stateHeaders(),
          ...(own && lowerCased(own)),
        },
      },
      {
        head(status, headers) {
          if (status >= 200 && status < 300) {
            if (request?.method === 'initialize') sessionId = headerText(headers, 'mcp-session-id')
            resolve()
            return answer?.read(status, headers) ?? noBody()
          }
          return beginningOfText(quotedBytes, (text) => refuse(status, headers, text))
        },
        failed(error) {
          answer?.drop()
          reject(error)
        },
      },
    )
    answer?.begin(exchange)
    return promise

    function refuse(status: number, headers: ResponseHeaders, text: string): void {
      answer?.drop()
      if (sentSession !== undefined && isForgotten(status, text)) {
        reject(
          new HubError('unavailable', `The upstream at ${origin} has forgotten the connection.`, { data: { status } }),
        )
        return forget(sentSession)
      }
      const said = request && refusalAnswer(text, request)
      if (!said) return reject(refusalError({ origin, status, headers, text }))
      resolve()
      to.message(said, request)
    }
  }

  function answerOptions(request: RpcRequest) {
    return {
      maxBytes: maxMessageBytes,
      headers: stateHeaders,
      // Only what is to stay open has a reason to be silent for long.
      silenceMs: request.method === 'subscriptions/listen' ? heartbeatMs : undefined,
      canResume: () => version !== modernVersion,
      begun: (answer: Answer) => answers.set(request.id, answer),
      ended: () => answers.delete(request.id),
    }
  }

  function forget(session: string): void {
    if (sessionId !== session) return
    sessionId = undefined
    listening?.stop()
    listening = undefined
    listener?.forgotten()
  }

  /** Not every server has such a stream; one that has it may lose the connection while nobody calls. */
  function listen(): void {
    if (!client || !listener) return
    const to = listener
    const session = sessionId
    listening?.stop()
    listening = followEvents({
      client,
      headers: stateHeaders,
      maxBytes: maxMessageBytes,
      silenceMs: heartbeatMs,
      maxFailures: Number.POSITIVE_INFINITY,
      message: (text) => void deliver(text, to),
      over({ wasOpen, refused }) {
        listening = undefined
        if (wasOpen && refused && session !== undefined && isForgotten(refused.status, refused.text)) forget(session)
      },
    })
  }

  return {
    async start(to) {
      const opened = await openHttpClient({ url: options.url, headers: options.headers, auth: options.auth })
      if (isClosed) return opened.close()
      client = opened
      listener = to
    },
    async send(message: RpcMessage, sendOptions?: SendOptions) {
      const method = 'method' in message ? message.method : undefined
      if (method === 'initialize') {
        sessionId = undefined
        version = undefined
        listening?.stop()
      }
      await post(message, sendOptions?.headers)
      if (method === 'notifications/initialized' && version !== modernVersion) listen()
    },
    agree(agreed) {
      version = agreed
    },
    abandon: (id) => answers.get(id)?.abandon(),
    async close() {
      const closing = client
      isClosed = true
      listener = undefined
      client = undefined
      listening?.stop()
      for (const answer of answers.values()) answer.abandon()
      if (!closing) return
      if (sessionId !== undefined) await sayFarewell(closing, stateHeaders())
      await closing.close()
    },
    stderr: '',
  }
}

/** Frees what the upstream keeps for the connection. It may not want to know, or be gone. */
function sayFarewell(client: HttpClient, headers: Headers): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      exchange.abort()
      resolve()
    }, farewellMs)
    const exchange = client.send({ method: 'DELETE', headers }, { head: () => noBody(done), failed: done })
    function done(): void {
      clearTimeout(timer)
      resolve()
    }
  })
}
