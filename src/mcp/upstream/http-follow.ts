/**
 * A stream of events that is taken up again where it broke off: with `Last-Event-ID`, after the pause the server asks for or
 * a growing one of our own, and when it has been silent for too long.
 */
import { messageOf } from '../../base/hub-error.ts'
import { beginningOfText, eventStream, isMessage } from './http-body.ts'
import type { Exchange, Headers, HttpClient, ResponseHeaders } from './http-client.ts'
import { contentType } from './http-client.ts'

export interface Following {
  stop(): void
}

export interface FollowOptions {
  readonly client: HttpClient
  headers(): Headers
  readonly maxBytes: number
  /** Where to begin, and the pause before it. Without an id it begins at once, with what comes next. */
  readonly from?: { readonly id: string; readonly retryMs: number | undefined }
  readonly silenceMs: number | undefined
  /** How often it may fail before an event comes. */
  readonly maxFailures: number
  message(text: string): void
  /** It will not be taken up again. `wasOpen`: it had been there before. */
  over(end: FollowEnd): void
}

export interface FollowEnd {
  readonly reason: string
  readonly wasOpen: boolean
  readonly refused?: { readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
}

const pauseMs = { first: 250, most: 30_000 }
const quotedBytes = 2_048

export function followEvents(options: FollowOptions): Following {
  const { client, maxBytes, silenceMs, maxFailures } = options
  let lastId = options.from?.id
  let retryMs = options.from?.retryMs
  let failures = 0
  /** How often in a row it was opened and nothing came. */
  let barren = 0
  let wasOpen = false
  let isStopped = false
  let exchange: Exchange | undefined
  let pause: NodeJS.Timeout | undefined
  let silence: NodeJS.Timeout | undefined

  function open(): void {
    barren += 1
    const headers = { ...options.headers(), accept: 'text/event-stream' }
    exchange = client.send(
      { method: 'GET', headers: lastId === undefined ? headers : { ...headers, 'last-event-id': lastId } },
      {
        head(status, received) {
          if (status === 200 && contentType(received) === 'text/event-stream') return read()
          return beginningOfText(quotedBytes, (text) => refuse(status, received, text))
        },
        failed: (error) => failed(messageOf(error)),
      },
    )
  }

  function read() {
    wasOpen = true
    watchSilence()
    return eventStream({
      maxBytes,
      event(event) {
        failures = 0
        barren = 0
        if (event.id !== undefined) lastId = event.id
        if (isMessage(event)) options.message(event.data)
      },
      retry: (ms) => (retryMs = ms),
      active: () => silence?.refresh(),
      over: (error) => {
        clearTimeout(silence)
        if (error) failed(messageOf(error))
        else openLater()
      },
    })
  }

  function watchSilence(): void {
    if (silenceMs === undefined) return
    clearTimeout(silence)
    silence = setTimeout(() => {
      exchange?.abort()
      // At once, for it may just have had nothing to say.
      barren = 0
      open()
    }, silenceMs)
    silence.unref()
  }

  function refuse(status: number, headers: ResponseHeaders, text: string): void {
    // 409: it still holds the stream that broke off.
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
    const growingMs = Math.min(pauseMs.first * 2 ** barren, pauseMs.most)
    const ms = failures === 0 ? (retryMs ?? growingMs) : Math.max(retryMs ?? 0, growingMs)
    // Not all at once, when many have lost the same server.
    pause = setTimeout(open, ms * (1 + Math.random() / 2))
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
