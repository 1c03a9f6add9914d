/** An event stream as it is on the wire, with comments and empty events. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { begin, type Target, type RequestSpec } from './exchange.ts'

export interface ServerEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
}

export interface EventStream extends Disposable {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The events received so far. */
  readonly events: readonly ServerEvent[]
  readonly comments: readonly string[]
  /** The events in order, each once. Fails if the stream ends before the next event. */
  next(): Promise<ServerEvent>
  /** The next message: an event with data and without another name. */
  message(): Promise<unknown>
  /** All messages received so far, including those that `message` returned. */
  readonly messages: readonly unknown[]
  /** The newest event id, as a client would send it in `Last-Event-ID`. */
  readonly lastId: string | undefined
  /** How the stream ended. */
  readonly ended: Promise<'ended' | 'cut'>
  /** Disconnects without notice. */
  close(): void
}

export async function openStream(target: Target, spec: RequestSpec): Promise<EventStream> {
  return readStream(await begin(target, spec))
}

export function readStream(response: IncomingMessage): EventStream {
  const events: ServerEvent[] = []
  const comments: string[] = []
  let taken = 0
  let isOver = false
  let news = Promise.withResolvers<void>()
  let rest = ''

  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block.slice(1).trim())
      else events.push(parseEvent(block))
    }
    wake()
  })
  const { promise: ended, resolve } = Promise.withResolvers<'ended' | 'cut'>()
  response.on('error', () => {})
  response.on('close', () => {
    isOver = true
    resolve(response.complete ? 'ended' : 'cut')
    wake()
  })

  function wake(): void {
    news.resolve()
    news = Promise.withResolvers()
  }

  async function next(): Promise<ServerEvent> {
    while (taken === events.length && !isOver) await news.promise
    const event = events[taken++]
    if (!event) throw new Error(`The stream ended after ${JSON.stringify(events)} and: ${rest}`)
    return event
  }

  const messageOf = ({ event = 'message', data }: ServerEvent): unknown =>
    data && event === 'message' ? JSON.parse(data) : undefined
  const close = () => void response.destroy()
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    next,
    async message() {
      let message: unknown
      while (message === undefined) message = messageOf(await next())
      return message
    },
    get messages() {
      return events.map(messageOf).filter((message) => message !== undefined)
    },
    get lastId() {
      return events.findLast(({ id }) => id !== undefined)?.id
    },
    ended,
    close,
    [Symbol.dispose]: close,
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = block.split('\n').map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')] as const
  })
  return Object.fromEntries(fields)
}
