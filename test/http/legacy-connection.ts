/** A client of the revisions up to 2025-11-25, which sends exact headers. */
import { type Answer, exchange, type Target, type RequestSpec } from './exchange.ts'
import { type EventStream, openStream } from './event-stream.ts'

export const legacyRevisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const newestLegacy = '2025-11-25'

export interface LegacyConnection {
  /** `Mcp-Session-Id` */
  readonly id: string
  /** The answer to `initialize`. */
  readonly opening: Answer
  /** An id that no request of this connection has used. */
  nextId(): number
  /** A POST of this connection. */
  spec(body: unknown, headers?: RequestSpec['headers']): RequestSpec
  post(body: unknown, headers?: RequestSpec['headers']): Promise<Answer>
  /** The response to one request that is answered with a body. */
  request(method: string, params?: object): Promise<unknown>
  /** One request that is answered with a stream. */
  stream(method: string, params?: object): Promise<EventStream>
  notify(method: string, params?: object): Promise<Answer>
  /** GET */
  listen(lastEventId?: string): Promise<EventStream>
  /** DELETE */
  end(): Promise<Answer>
}

export interface LegacyOptions {
  readonly version?: string
  readonly token?: string
  readonly capabilities?: object
  readonly query?: string
}

export async function connectLegacy(target: Target, options: LegacyOptions = {}): Promise<LegacyConnection> {
  const opening = await initialize(target, options)
  const id = opening.headers['mcp-session-id']
  if (opening.status !== 200 || typeof id !== 'string') {
    throw new Error(`initialize was answered with ${opening.status}: ${opening.text}`)
  }
  await exchange(target, asConnection(id, options, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }))
  return attachLegacy(target, id, { ...options, opening })
}

/** Uses an id from an earlier run of the hub, or one that the hub never issued. */
export function attachLegacy(
  target: Target,
  id: string,
  { opening = noOpening, ...options }: LegacyOptions & { opening?: Answer } = {},
): LegacyConnection {
  let lastId = 0
  const nextId = () => ++lastId
  const spec = (body: unknown, headers?: RequestSpec['headers']) =>
    asConnection(id, options, { body, ...(headers && { headers }) })
  const post = (body: unknown, headers?: RequestSpec['headers']) => exchange(target, spec(body, headers))
  const toRequest = (method: string, params?: object) => ({ jsonrpc: '2.0', id: nextId(), method, params })
  return {
    id,
    opening,
    nextId,
    spec,
    post,
    request: async (method, params) => (await post(toRequest(method, params))).body,
    stream: (method, params) => openStream(target, spec(toRequest(method, params))),
    notify: (method, params) => post({ jsonrpc: '2.0', method, params }),
    listen: (lastEventId) =>
      openStream(
        target,
        asConnection(id, options, {
          method: 'GET',
          headers: { accept: 'text/event-stream', 'last-event-id': lastEventId },
        }),
      ),
    end: () => exchange(target, asConnection(id, options, { method: 'DELETE' })),
  }
}

export function initialize(
  target: Target,
  { version = newestLegacy, token, capabilities = {}, query = '' }: LegacyOptions = {},
) {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } }
  return exchange(target, {
    path: `/mcp${query}`,
    body: { jsonrpc: '2.0', id: 'hello', method: 'initialize', params },
    ...(token !== undefined && { token }),
  })
}

const noOpening: Answer = { status: 0, headers: {}, text: '', body: undefined }

function asConnection(id: string, { token, query = '' }: LegacyOptions, spec: RequestSpec): RequestSpec {
  return {
    ...spec,
    path: `/mcp${query}`,
    headers: { 'mcp-session-id': id, ...spec.headers },
    ...(token !== undefined && { token }),
  }
}
