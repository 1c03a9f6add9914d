/**
 * Streamable HTTP for both eras. Each message is its own POST. The answer to a request is one JSON body or an event
 * stream. A legacy upstream may identify a connection by its `Mcp-Session-Id`, and uses a GET stream for messages that
 * belong to no request.
 */
import { HubError } from '../base/hub-error.ts'
import { InFlightMap } from '../base/in-flight-map.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { RequestId, RpcMessage, RpcRequest } from '../mcp/mcp.ts'
import { isRequest, modernVersion } from '../mcp/mcp.ts'
import { createAnswer } from './http-answer.ts'
import type { Answer } from './http-answer.ts'
import { beginningOfText, noBody } from './http-body.ts'
import type { Headers, HttpAuth, HttpClient, ResponseHeaders } from './http-client.ts'
import { headerText, lowerCased, openHttpClient } from './http-client.ts'
import { followEvents } from './http-follow.ts'
import type { Following } from './http-follow.ts'
import { isForgotten, refusalAnswer, refusalError } from './http-refusal.ts'
import { deliver } from './incoming.ts'
import { defaultMaxMessageBytes } from './message-limits.ts'
import type { SendOptions, TransportListener, UpstreamTransport } from './transport.ts'
import { NotSent } from './transport.ts'

export interface HttpTransportOptions {
  readonly url: string
  readonly headers: Headers
  readonly maxMessageBytes?: number
  /** A long-lived stream that is silent for this long counts as dead. */
  readonly heartbeatMs?: number
  readonly auth?: HttpAuth
}

const quotedBytes = 64 * 1024
const farewellMs = 2_000
/** Limits messages without an answer, such as cancellations, that wait for an upstream that does not accept them. */
const maxUnaccepted = 1_000

export function createHttpTransport(options: HttpTransportOptions): UpstreamTransport {
  const { maxMessageBytes = defaultMaxMessageBytes, heartbeatMs } = options
  const answers = new InFlightMap<RequestId, Answer>()
  let client: HttpClient | undefined
  let listener: TransportListener | undefined
  let version: string | undefined
  let sessionId: string | undefined
  let listening: Following | undefined
  let isClosed = false
  let unaccepted = 0
  let posted: { session: string | undefined; version: string | undefined; headers: Headers } | undefined

  function stateHeaders(): Record<string, string> {
    const headers: Record<string, string> = {}
    if (sessionId !== undefined) headers['mcp-session-id'] = sessionId
    if (version !== undefined) headers['mcp-protocol-version'] = version
    return headers
  }

  /** These headers are the same for each message until a handshake changes them. */
  function postHeaders(): Headers {
    if (!posted || posted.session !== sessionId || posted.version !== version) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      posted = { session: sessionId, version, headers: { ...headers, ...stateHeaders() } }
    }
    return posted.headers
  }

  function post(message: RpcMessage, own: Headers | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (!client || !listener) return Promise.reject(new NotSent('The upstream is closed.'))
    const to = listener
    const { origin } = client
    const request = isRequest(message) ? message : undefined
    if (!request && unaccepted >= maxUnaccepted) {
      return Promise.reject(new NotSent(`The upstream at ${origin} has not accepted ${unaccepted} messages yet.`))
    }
    const sentSession = sessionId
    const answer =
      request && createAnswer({ request, client, listener: to, abandoned: resolve, ...answerOptions(request) })
    const exchange = client.send(
      {
        method: 'POST',
        body: JSON.stringify(message),
        headers: own ? { ...postHeaders(), ...lowerCased(own) } : postHeaders(),
      },
      {
        head(status, headers, body) {
          if (status >= 200 && status < 300) {
            const session = headerText(headers, 'mcp-session-id')
            if (!isReturnable(session)) {
              answer?.drop()
              reject(new TooLongToReturn('The id of the connection'))
              return noBody()
            }
            if (request?.method === 'initialize') sessionId = session
            resolve()
            return answer?.read(status, headers, body) ?? noBody()
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
    if (request) return promise
    unaccepted++
    return promise.finally(() => unaccepted--)

    function refuse(status: number, headers: ResponseHeaders, text: string): void {
      answer?.drop()
      if (sentSession !== undefined && isForgotten(status, text)) {
        reject(
          new HubError('unavailable', `The upstream at ${origin} no longer knows the connection.`, {
            data: { status },
          }),
        )
        return forget(sentSession)
      }
      const refusal = request && refusalAnswer(text, request)
      if (!refusal) return reject(refusalError({ origin, status, headers, text }))
      resolve()
      to.message(refusal, request)
    }
  }

  function answerOptions(request: RpcRequest) {
    return {
      maxBytes: maxMessageBytes,
      headers: stateHeaders,
      // Only a long-lived stream has a reason to be silent for long.
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

  /** Not every server has this stream. A server that has it may forget the connection while no call runs. */
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
      message: (text) => deliver(text, to),
      over({ wasOpen, refused, tooLong }) {
        listening = undefined
        if (tooLong) return to.closed(tooLong.message)
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
      if (sessionId !== undefined) await deleteConnection(closing, stateHeaders())
      await closing.close()
    },
    // Without a connection our answer could reach a server that never asked.
    get canAsk() {
      return sessionId !== undefined
    },
    stderr: '',
  }
}

/** Frees what the upstream keeps for the connection. Errors do not matter: the upstream may be gone. */
function deleteConnection(client: HttpClient, headers: Headers): Promise<void> {
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
