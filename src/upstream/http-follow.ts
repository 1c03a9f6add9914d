/**
 * An event stream that is resumed where it broke off: with `Last-Event-ID`, after the pause that the server asks for or
 * our own backoff. A stream that is silent for too long counts as broken.
 */
import { backoffMs } from '../base/backoff.ts'
import { messageOf } from '../base/hub-error.ts'
import { isMessage } from '../base/event-stream.ts'
import { TooLongToReturn } from '../base/returned-text.ts'
import { beginningOfText, eventStream } from './http-body.ts'
import type { Body, Exchange, Headers, HttpClient, ResponseHeaders } from './http-client.ts'
import { contentType } from './http-client.ts'

export interface Following {
  stop(): void
}

export interface FollowOptions {
  readonly client: HttpClient
  headers(): Headers
  readonly maxBytes: number
  /**
   * The event to resume after, and the pause before that. Without it the stream opens at once and starts with the next
   * event.
   */
  readonly from?: { readonly id: string; readonly retryMs: number | undefined }
  readonly silenceMs: number | undefined
  /** How often opening may fail before an event arrives. */
  readonly maxFailures: number
  message(text: string): boolean | Promise<boolean>
  /** The stream will not be resumed. `wasOpen`: it was open before. */
  over(end: FollowEnd): void
}

export interface FollowEnd {
  readonly reason: string
  /** Set if the server sent a text that the hub does not send back. */
  readonly tooLong?: TooLongToReturn
  readonly wasOpen: boolean
  readonly refused?: { readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
}

const reopening = { firstMs: 250, longestMs: 30_000 }
/**
 * The server may ask for another pause. But it cannot make the hub open its stream all the time, nor ask for a pause that
 * no timer can wait.
 */
export function requestablePause(ms: number): number {
  return Math.min(Math.max(ms, 20), 3_600_000)
}

const quotedBytes = 2_048

export function followEvents(options: FollowOptions): Following {
  const { client, maxBytes, silenceMs, maxFailures } = options
  let lastId = options.from?.id
  let retryMs = options.from?.retryMs
  let failures = 0
  /** How often in a row the stream opened and delivered nothing. */
  let emptyOpens = 0
  let wasOpen = false
  let isStopped = false
  let exchange: Exchange | undefined
  let pause: NodeJS.Timeout | undefined
  let silence: NodeJS.Timeout | undefined

  function open(): void {
    emptyOpens += 1
    const headers = { ...options.headers(), accept: 'text/event-stream' }
    exchange = client.send(
      { method: 'GET', headers: lastId === undefined ? headers : { ...headers, 'last-event-id': lastId } },
      {
        head(status, received, body) {
          if (status === 200 && contentType(received) === 'text/event-stream') return read(body)
          return beginningOfText(quotedBytes, (text) => refuse(status, received, text))
        },
        failed: (error) => failed(messageOf(error)),
      },
    )
  }

  function read(body: Body) {
    wasOpen = true
    watchSilence()
    return eventStream({
      body,
      maxBytes,
      event(event) {
        failures = 0
        emptyOpens = 0
        if (event.id !== undefined) lastId = event.id
        return isMessage(event) && options.message(event.data)
      },
      retry: (ms) => (retryMs = requestablePause(ms)),
      active: () => silence?.refresh(),
      over: (error) => {
        clearTimeout(silence)
        if (error instanceof TooLongToReturn) finish({ reason: error.message, wasOpen, tooLong: error })
        else if (error) failed(messageOf(error))
        else openLater()
      },
    })
  }

  function watchSilence(): void {
    if (silenceMs === undefined) return
    clearTimeout(silence)
    silence = setTimeout(() => {
      exchange?.abort()
      // Retry at once: the server may just have had nothing to send.
      emptyOpens = 0
      open()
    }, silenceMs)
    silence.unref()
  }

  function refuse(status: number, headers: ResponseHeaders, text: string): void {
    // 409: the server still has the broken stream open.
    const mayPass = status >= 500 || status === 409 || status === 429
    const reason = `status ${status}`
    if (mayPass) failed(reason)
    else finish({ reason, wasOpen, refused: { status, headers, text } })
  }

  function failed(reason: string): void {
    failures += 1
    if (failures >= maxFailures) finish({ reason, wasOpen })
    else openLater()
  }

  function openLater(): void {
    if (isStopped) return
    const growingMs = backoffMs(reopening, emptyOpens + 1)
    // Jitter: all clients of a lost server got the same retry time.
    const requestedMs = retryMs === undefined ? undefined : retryMs * (1 + Math.random() / 2)
    const ms = failures === 0 ? (requestedMs ?? growingMs) : Math.max(requestedMs ?? 0, growingMs)
    pause = setTimeout(open, ms)
    pause.unref()
  }

  function finish(end: FollowEnd): void {
    if (isStopped) return
    isStopped = true
    options.over(end)
  }

  if (options.from) openLater()
  else open()
  return {
    stop() {
      isStopped = true
      clearTimeout(pause)
      clearTimeout(silence)
      exchange?.abort()
    },
  }
}
