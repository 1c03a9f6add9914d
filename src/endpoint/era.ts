/** Decides the era of a message. */
import type { RpcMessage } from '../mcp/mcp.ts'
import { isRecord, isRequest, metaKey, metaOf, modernVersion, RpcError } from '../mcp/mcp.ts'
import { loadSdk } from './load-sdk.ts'

export type Era = 'legacy' | 'modern'

export interface EraHeaders {
  readonly version: string | undefined
  readonly method: string | undefined
}

/**
 * A request of 2026-07-28 names that revision in its body and its headers. A request that names it in neither is
 * legacy.
 */
export function eraOf(message: RpcMessage, { version, method }: EraHeaders): Era {
  const meta = 'params' in message ? metaOf(message.params) : {}
  const claimed = meta[metaKey.protocolVersion]
  if (claimed === undefined && version !== modernVersion) return 'legacy'
  const isWhole = isRequest(message) && message.method === method && isRecord(meta[metaKey.clientCapabilities])
  if (isWhole && claimed === modernVersion && version === modernVersion) return 'modern'

  // The remaining requests name the revision in one of the two only. The SDK knows the order in which the specification
  // wants faults reported.
  const route = loadSdk().classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  })
  if (route.kind !== 'reject') return route.kind
  throw new RpcError(route.code, route.message, { data: route.data, status: route.httpStatus })
}

/** Decides from the body alone, for transports without headers. */
export function eraOfBody(message: RpcMessage): Era {
  if (!('method' in message)) return 'legacy'
  const claimed = metaOf(message.params)[metaKey.protocolVersion]
  return eraOf(message, { version: typeof claimed === 'string' ? claimed : undefined, method: message.method })
}
