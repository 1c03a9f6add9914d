/** Requests of 2026-07-28 with exact headers. */
import { type EventStream, openStream } from './event-stream.ts'
import { type Answer, exchange, type Target, type RequestSpec } from './exchange.ts'

const prefix = 'io.modelcontextprotocol/'
export const subscriptionIdKey = `${prefix}subscriptionId`

export interface ModernOptions {
  readonly id?: string | number
  readonly token?: string | null
  readonly query?: string
  readonly capabilities?: object
  readonly headers?: RequestSpec['headers']
  /** Added to `_meta`. `undefined` removes a required key. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

export function modern(
  target: Target,
  method: string,
  params: object = {},
  options: ModernOptions = {},
): Promise<Answer> {
  return exchange(target, modernSpec(method, params, options))
}

export function modernStream(
  target: Target,
  method: string,
  params: object = {},
  options: ModernOptions = {},
): Promise<EventStream> {
  return openStream(target, modernSpec(method, params, options))
}

export function modernSpec(method: string, params: object, options: ModernOptions = {}): RequestSpec {
  const { id = 1, token, query = '', capabilities = {}, headers, meta, signal } = options
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientCapabilities`]: capabilities,
    [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
    ...meta,
  }
  const { name, uri } = params as { name?: unknown; uri?: unknown }
  return {
    path: `/mcp${query}`,
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof (name ?? uri) === 'string' && { 'mcp-name': String(name ?? uri) }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    ...(token !== undefined && { token }),
    ...(signal && { signal }),
  }
}
