/** What we add to a request on its way up, and what we keep back. All else in it is the caller's and stays. */
import { encodeHeader, namedField } from '../../base/mcp-headers.ts'
import type { Client } from '../provider.ts'
import type { Implementation } from '../sdk.ts'
import type { Meta, Params } from '../wire.ts'
import { metaKey, metaOf, modernVersion } from '../wire.ts'

export const idempotencyKey = 'io.signalbox/idempotencyKey'

export interface Envelope {
  readonly era: 'legacy' | 'modern'
  readonly client: Pick<Client, 'capabilities' | 'info'>
  /** Who we are, where the caller does not say who it is. */
  readonly info: Implementation
  readonly progressToken: number | undefined
  /** The same each time one call is sent. */
  readonly key: string | undefined
}

export function inEnvelope(params: Params, envelope: Envelope): Params {
  const meta = metaFor(metaOf(params), envelope)
  return meta === undefined ? withoutMeta(params) : { ...params, _meta: meta }
}

function metaFor(own: Meta, { era, client, info, progressToken, key }: Envelope): Meta | undefined {
  const meta: Record<string, unknown> = { ...own }
  delete meta['progressToken']
  if (progressToken !== undefined) meta['progressToken'] = progressToken
  if (key !== undefined) meta[idempotencyKey] ??= key
  if (era === 'modern') {
    meta[metaKey.protocolVersion] = modernVersion
    meta[metaKey.clientInfo] = client.info ?? info
    meta[metaKey.clientCapabilities] = client.capabilities
  } else {
    // A server of both eras would take the request for one of the other.
    for (const name of modernKeys) delete meta[name]
  }
  return Object.keys(meta).length === 0 ? undefined : meta
}

const modernKeys = [metaKey.protocolVersion, metaKey.clientInfo, metaKey.clientCapabilities, metaKey.logLevel]

function withoutMeta(params: Params): Params {
  if (!('_meta' in params)) return params
  const { _meta, ...rest } = params
  return rest
}

/** The headers of 2026-07-28 that repeat the body. */
export function headersFor(method: string, params: Params | undefined): Record<string, string> {
  const name = namedField(method, params)?.value ?? taskIdOf(method, params)
  return {
    'MCP-Protocol-Version': modernVersion,
    'Mcp-Method': method,
    ...(name !== undefined && { 'Mcp-Name': encodeHeader(name) }),
  }
}

function taskIdOf(method: string, params: Params | undefined): string | undefined {
  const id = method.startsWith('tasks/') ? params?.['taskId'] : undefined
  return typeof id === 'string' ? id : undefined
}
