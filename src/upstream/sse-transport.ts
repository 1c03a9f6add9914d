/**
 * HTTP+SSE of 2024-11-05: one GET stream for everything that the upstream sends. Its first event names the address for
 * everything that the client posts. The stream is the connection: when it breaks off, the upstream must be initialised
 * again.
 */
import { HubError } from '../base/hub-error.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { RpcMessage } from '../mcp/mcp.ts'
import { isMessage } from '../base/event-stream.ts'
import { beginningOfText, eventStream, noBody } from './http-body.ts'
import type { Body, BodyReader, Exchange, HttpClient } from './http-client.ts'
import { contentType, openHttpClient } from './http-client.ts'
import { refusalError } from './http-refusal.ts'
import type { HttpTransportOptions } from './http-transport.ts'
import { deliver } from './incoming.ts'
import { defaultMaxMessageBytes } from './message-limits.ts'
import type { TransportListener, UpstreamTransport } from './transport.ts'
import { NotSent } from './transport.ts'

interface Stream {
  /** The address to post to, once it is known. */
  readonly endpoint: Promise<string>
  close(): void
}

const quotedBytes = 64 * 1024
const itsAddress = 'The address for messages'

export function createSseTransport(options: HttpTransportOptions): UpstreamTransport {
  const { maxMessageBytes = defaultMaxMessageBytes, heartbeatMs } = options
  let client: HttpClient | undefined
  let listener: TransportListener | undefined
  let stream: Stream | undefined
  let isClosed = false

  function open(through: HttpClient): Stream {
    const { promise: endpoint, resolve, reject } = Promise.withResolvers<string>()
    endpoint.catch(() => {})
    const { origin } = through
    let silence: NodeJS.Timeout | undefined
    let isOpen = false

    const exchange: Exchange = through.send(
      { method: 'GET', headers: { accept: 'text/event-stream' } },
      {
        head(status, headers, body): BodyReader {
          const type = contentType(headers)
          if (status === 200 && type === 'text/event-stream') return read(body)
          if (status === 200) {
            close(new HubError('unavailable', `The upstream at ${origin} sends no event stream, but "${type}".`))
            return noBody()
          }
          return beginningOfText(quotedBytes, (text) => close(refusalError({ origin, status, headers, text })))
        },
        failed: close,
      },
    )

    function read(body: Body): BodyReader {
      return eventStream({
        body,
        maxBytes: maxMessageBytes,
        event(event) {
          if (event.event === 'endpoint') settle(event.data)
          else if (listener && isMessage(event)) return deliver(event.data, listener)
          return false
        },
        active: () => silence?.refresh(),
        // A server that never sends comments may be silent. One that did and stopped is dead.
        comment() {
          if (heartbeatMs !== undefined) silence ??= setTimeout(close, heartbeatMs).unref()
        },
        over: close,
      })
    }

    function settle(address: string): void {
      if (!isReturnable(address)) return close(new TooLongToReturn(itsAddress))
      const target = URL.parse(address, options.url)
      if (target?.origin !== origin) {
        return close(
          new HubError(
            'unavailable',
            `The upstream at ${origin} wants messages at ${target?.origin ?? 'an invalid address'}, but the hub trusts only its own origin.`,
          ),
        )
      }
      const path = target.pathname + target.search
      // Characters other than ASCII make it longer.
      if (!isReturnable(path)) return close(new TooLongToReturn(itsAddress))
      isOpen = true
      resolve(path)
    }

    function close(error?: Error): void {
      clearTimeout(silence)
      exchange.abort()
      if (stream !== opened) return
      stream = undefined
      reject(error ?? new HubError('unavailable', `The upstream at ${origin} closed its stream at once.`))
      if (isOpen) listener?.forgotten(error?.message)
    }

    const opened: Stream = { endpoint, close }
    return opened
  }

  async function connect(): Promise<{ through: HttpClient; path: string }> {
    if (!client || !listener) throw new NotSent('The upstream is closed.')
    stream ??= open(client)
    try {
      return { through: client, path: await stream.endpoint }
    } catch (error) {
      throw error instanceof NotSent ? error : new NotSent((error as Error).message, { cause: error })
    }
  }

  return {
    async start(to) {
      const opened = await openHttpClient({ url: options.url, headers: options.headers, auth: options.auth })
      if (isClosed) return opened.close()
      client = opened
      listener = to
      await connect()
    },
    async send(message: RpcMessage) {
      const { through, path } = await connect()
      await post(through, path, JSON.stringify(message))
    },
    agree() {},
    abandon() {},
    async close() {
      const closing = client
      isClosed = true
      listener = undefined
      client = undefined
      stream?.close()
      await closing?.close()
    },
    canAsk: true,
    stderr: '',
  }
}

function post(client: HttpClient, path: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.send(
      { method: 'POST', path, headers: { 'content-type': 'application/json' }, body },
      {
        head(status, headers) {
          if (status >= 200 && status < 300) {
            resolve()
            return noBody()
          }
          const { origin } = client
          return beginningOfText(quotedBytes, (text) => reject(refusalError({ origin, status, headers, text })))
        },
        failed: reject,
      },
    )
  })
}
