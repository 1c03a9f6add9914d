/** An event stream as it comes over the wire, comments and empty events included. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { begin, type Target, type Wish } from './exchange.ts'

export interface ServerEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
}

export interface EventStream extends Disposable {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** What has come so far. */
  readonly events: readonly ServerEvent[]
  readonly comments: readonly string[]
  /** The events in order, each once; fails when the stream ends before there is another. */
  next(): Promise<ServerEvent>
  /** The next message: an event that has data, and no other name. */
  message(): Promise<unknown>
  /** All messages that have come so far, whether `message` gave them or not. */
  readonly messages: readonly unknown[]
  /** The newest event id, as a client would send it in `Last-Event-ID`. */
  readonly lastId: string | undefined
  /** How it came to its end. */
  readonly ended: Promise<'ended' | 'cut'>
  /** Leaves without a word. */
  close(): void
}

export async function openStream(target: Target, wish: Wish): Promise<EventStream> {
  return readStream(await begin(target, wish))
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
