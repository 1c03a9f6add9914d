/** A client of HTTP+SSE of 2024-11-05: it receives on `GET /sse` and sends with `POST /messages`. */
import { type EventStream, openStream } from './event-stream.ts'
import { type Answer, exchange, type Target } from './exchange.ts'

export interface SsePair extends Disposable {
  readonly stream: EventStream
  /** The address for its messages, as the hub named it. */
  readonly address: string
  post(body: unknown): Promise<Answer>
}

/** Opens the stream and sends nothing yet. */
export async function openSsePair(target: Target, options: { token?: string; query?: string } = {}): Promise<SsePair> {
  const { token, query = '' } = options
  const as = token === undefined ? {} : { token }
  const stream = await openStream(target, {
    method: 'GET',
    path: `/sse${query}`,
    headers: { accept: 'text/event-stream' },
    ...as,
  })
  const { event, data = '' } = await stream.next()
  if (event !== 'endpoint') throw new Error(`The first event of /sse is "${event}": ${data}`)
  return {
    stream,
    address: data,
    post: (body) => exchange(target, { path: data, headers: { accept: '*/*' }, body, ...as }),
    [Symbol.dispose]: () => stream.close(),
  }
}

export const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
