/** Which era a message is of. */
import { classifyInboundRequest } from './sdk.ts'
import type { RpcMessage } from './wire.ts'
import { isRecord, isRequest, metaKey, metaOf, modernVersion, RpcError } from './wire.ts'

export type Era = 'legacy' | 'modern'

export interface EraHeaders {
  readonly version: string | undefined
  readonly method: string | undefined
}

/** A request of 2026-07-28 says so in its body and its headers; what says so in neither is legacy. */
export function eraOf(message: RpcMessage, { version, method }: EraHeaders): Era {
  const meta = 'params' in message ? metaOf(message.params) : {}
  const claimed = meta[metaKey.protocolVersion]
  if (claimed === undefined && version !== modernVersion) return 'legacy'
  const isWhole = isRequest(message) && message.method === method && isRecord(meta[metaKey.clientCapabilities])
  if (isWhole && claimed === modernVersion && version === modernVersion) return 'modern'

  // The rest is half one, half the other: the SDK knows the order in which the specification wants the faults told.
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
  })
  if (route.kind !== 'reject') return route.kind
  throw new RpcError(route.code, route.message, { data: route.data, status: route.httpStatus })
}

/** Where there are no headers, the body alone says it. */
export function eraOfBody(message: RpcMessage): Era {
  if (!('method' in message)) return 'legacy'
  const claimed = metaOf(message.params)[metaKey.protocolVersion]
  return eraOf(message, { version: typeof claimed === 'string' ? claimed : undefined, method: message.method })
}
