/** JSON-RPC as MCP uses it: message shapes, revisions, codes. An error on the wire is an `RpcError`. */

import { ToldError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'

export { isRecord }

export type RequestId = string | number

export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: Params
}

export interface RpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Params
}

export interface RpcSuccess {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly result: object
}

export interface RpcFailure {
  readonly jsonrpc: '2.0'
  readonly id: RequestId | null
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type RpcResponse = RpcSuccess | RpcFailure
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse
export type Params = Readonly<Record<string, unknown>>
export type Meta = Readonly<Record<string, unknown>>

/** Oldest first. */
export const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const newestLegacyVersion = '2025-11-25'
export const modernVersion = '2026-07-28'
/** The one revision that has JSON-RPC batches. */
export const batchVersion = '2025-03-26'

export function isLegacyVersion(version: string): boolean {
  return (legacyVersions as readonly string[]).includes(version)
}

export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

export const errorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unavailable: -32001,
  busy: -32005,
  /** The number LSP uses; MCP has none of its own. */
  cancelled: -32800,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** A protocol error, as the peer sees it. */
export class RpcError extends ToldError {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  /** The HTTP status, if the revision demands one. Otherwise the status is 200 and the body has the error. */
  readonly status: number | undefined

  constructor(code: number, message: string, options: { data?: unknown; status?: number } = {}) {
    super(message)
    this.code = code
    this.data = options.data
    this.status = options.status
  }
}

export function success(id: RequestId, result: object): RpcSuccess {
  return { jsonrpc: '2.0', id, result }
}

export function failure(id: RequestId | null, error: { code: number; message: string; data?: unknown }): RpcFailure {
  const { code, message, data } = error
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } }
}

export function notification(method: string, params?: Params): RpcNotification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return 'method' in message && 'id' in message
}

export function isResponse(message: RpcMessage): message is RpcResponse {
  return !('method' in message)
}

export function metaOf(params: Params | undefined): Meta {
  const meta = params?.['_meta']
  return isRecord(meta) ? meta : {}
}

/** Removes a `_meta` key that only concerns the hub and its peer, before the params are sent on. */
export function withoutMeta(params: Params | undefined, key: string): Params | undefined {
  const { [key]: taken, ...rest } = metaOf(params)
  if (taken === undefined) return params
  const { _meta, ...others } = params ?? {}
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest }
}
