/**
 * The fields that we add to a request for the upstream, and those that we leave out. The caller's other fields are not
 * changed.
 */
import { encodeHeader, namedField } from '../base/mcp-headers.ts'
import type { Client, Implementation, Meta, Params } from '../mcp/mcp.ts'
import { metaKey, metaOf, modernVersion } from '../mcp/mcp.ts'

export const idempotencyKey = 'io.signalbox/idempotencyKey'

export interface Envelope {
  readonly client: Pick<Client, 'capabilities' | 'info'>
  /** How the hub identifies itself if the caller does not. */
  readonly info: Implementation
  readonly progressToken: number | undefined
  /** Stays the same each time one call is sent. */
  readonly key: string | undefined
}

export function inEnvelope(params: Params, era: Client['era'], envelope: Envelope): Params {
  const own: Record<string, unknown> = {}
  // Only a modern server asks questions in its result.
  for (const name in params)
    if (name !== '_meta' && (name !== 'inputResponses' || era === 'modern')) own[name] = params[name]
  const meta = era === 'modern' ? modernMeta(metaOf(params), envelope) : legacyMeta(metaOf(params), envelope)
  if (meta) own['_meta'] = meta
  return own
}

function modernMeta(own: Meta, { client, info, progressToken, key }: Envelope): Meta {
  return {
    ...commonMeta(own, progressToken, key),
    [metaKey.protocolVersion]: modernVersion,
    [metaKey.clientInfo]: client.info ?? info,
    [metaKey.clientCapabilities]: client.capabilities,
  }
}

function legacyMeta(own: Meta, { progressToken, key }: Envelope): Meta | undefined {
  const meta = commonMeta(own, progressToken, key)
  // A server of both eras would take the request for one of the other era.
  for (const name of modernKeys) if (name in meta) delete meta[name]
  for (const _ in meta) return meta
  return undefined
}

function commonMeta(own: Meta, progressToken: number | undefined, key: string | undefined): Record<string, unknown> {
  const meta: Record<string, unknown> = {}
  for (const name in own) if (name !== 'progressToken') meta[name] = own[name]
  if (progressToken !== undefined) meta['progressToken'] = progressToken
  if (key !== undefined) meta[idempotencyKey] ??= key
  return meta
}

const modernKeys = [metaKey.protocolVersion, metaKey.clientInfo, metaKey.clientCapabilities, metaKey.logLevel]

/** The 2026-07-28 headers that repeat parts of the body. */
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
