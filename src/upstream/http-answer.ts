/** The answer to one HTTP request: one JSON body, or an event stream that can break off and be resumed. */
import { messageOf } from '../base/hub-error.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { isMessage } from '../base/event-stream.ts'
import { eventStream, noBody, wholeJson } from './http-body.ts'
import type { Body, BodyReader, Exchange, Headers, HttpClient, ResponseHeaders } from './http-client.ts'
import { contentType } from './http-client.ts'
import { followEvents, requestablePause } from './http-follow.ts'
import type { Following } from './http-follow.ts'
import { deliver } from './incoming.ts'
import type { TransportListener } from './transport.ts'

export interface Answer {
  begin(exchange: Exchange): void
  /** The request was accepted. Returns the reader for the answer. */
  read(status: number, headers: ResponseHeaders, body: Body): BodyReader
  /** There is no answer, and the caller already knows. */
  drop(): void
  /** The answer is no longer needed. */
  abandon(): void
}

export interface AnswerOptions {
  readonly request: RpcRequest
  readonly client: HttpClient
  readonly listener: TransportListener
  readonly maxBytes: number
  headers(): Headers
  readonly silenceMs: number | undefined
  canResume(): boolean
  begun(answer: Answer): void
  ended(): void
  /** Abandoned before it was known whether the request was accepted. */
  abandoned(): void
}

/** A stream should end after its answer. One that does not is closed, so that it does not keep a socket. */
const lingerMs = 1_000
const maxResumeFailures = 4

export function createAnswer(options: AnswerOptions): Answer {
  const { request, client, listener, maxBytes, silenceMs } = options
  let exchange: Exchange | undefined
  let resumed: Following | undefined
  let timer: NodeJS.Timeout | undefined
  let lastId: string | undefined
  let retryMs: number | undefined
  let isAnswered = false
  let isOver = false

  /** Calls back after the message. Returns whether it is the answer. What comes after the answer is not one. */
  function message(json: Buffer | string, then: () => void): boolean | Promise<boolean> {
    const note = (isAnswer: boolean) => {
      const isFirst = isAnswer && !isAnswered
      isAnswered ||= isAnswer
      then()
      return isFirst
    }
    const delivered = deliver(json, listener, request)
    return typeof delivered === 'boolean' ? note(delivered) : delivered.then(note)
  }

  function readStream(body: Body): BodyReader {
    if (silenceMs !== undefined) {
      timer = setTimeout(() => lose(`the upstream sent nothing for ${silenceMs / 1000} seconds`), silenceMs).unref()
    }
    return eventStream({
      body,
      maxBytes,
      event(event) {
        if (event.id !== undefined) lastId = event.id
        if (!isMessage(event)) return false
        const wasAnswered = isAnswered
        return message(event.data, () => {
          if (wasAnswered || !isAnswered || isOver) return
          clearTimeout(timer)
          timer = setTimeout(abandon, lingerMs).unref()
        })
      },
      retry: (ms) => (retryMs = requestablePause(ms)),
      active() {
        if (!isAnswered) timer?.refresh()
      },
      over: (error) => {
        clearTimeout(timer)
        if (isAnswered) drop()
        else if (lastId !== undefined && options.canResume() && !isTooLarge(error)) resume(lastId)
        else lose(error ? messageOf(error) : 'the stream ended without the answer')
      },
    })
  }

  function resume(id: string): void {
    resumed = followEvents({
      client,
      headers: options.headers,
      maxBytes,
      from: { id, retryMs },
      silenceMs: undefined,
      maxFailures: maxResumeFailures,
      message: (text) => message(text, () => isAnswered && abandon()),
      over: ({ reason }) => lose(`the stream broke off and could not be resumed: ${reason}`),
    })
  }

  function lose(reason: string): void {
    if (isOver) return
    abandon()
    listener.lost(request, reason)
  }

  function abandon(): void {
    drop()
    resumed?.stop()
    exchange?.abort()
    options.abandoned()
  }

  function drop(): void {
    isOver = true
    clearTimeout(timer)
    options.ended()
  }

  const answer: Answer = {
    begin(started) {
      if (isOver) return
      exchange = started
      options.begun(answer)
    },
    read(status, headers, body) {
      const type = contentType(headers)
      if (type === 'text/event-stream') return readStream(body)
      if (type === 'application/json') {
        return wholeJson({
          body,
          maxBytes,
          done: (json) =>
            message(json, () => {
              if (isAnswered) drop()
              else lose('the response does not contain the answer')
            }),
          broken: (error) => lose(messageOf(error)),
        })
      }
      return noBody(() => lose(`status ${status} came without an answer (content type "${type}")`))
    },
    drop,
    abandon,
  }
  return answer
}

function isTooLarge(error: Error | undefined): boolean {
  return error !== undefined && 'code' in error && error.code === 'too-large'
}
