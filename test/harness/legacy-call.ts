/** Requests of a legacy connection over plain fetch. */
import { newestLegacyVersion } from '../../src/mcp/wire.ts'
import type { Endpoint } from './modern-call.ts'

/** Opens a connection and returns its id. */
export async function openConnection(endpoint: Endpoint, capabilities: object = {}): Promise<string> {
  const params = {
    protocolVersion: newestLegacyVersion,
    capabilities,
    clientInfo: { name: 'signalbox-test', version: '1.0.0' },
  }
  const response = await legacyRequest(endpoint, {}, 'initialize', params)
  const id = response.headers.get('mcp-session-id')
  if (!response.ok || id === null)
    throw new Error(`initialize was answered with ${response.status}: ${await response.text()}`)
  await response.text()
  return id
}

/** Sends one request on an open connection and returns the response. */
export function requestOn(
  endpoint: Endpoint,
  connectionId: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<Response> {
  const headers = { 'mcp-session-id': connectionId, 'mcp-protocol-version': newestLegacyVersion }
  return legacyRequest(endpoint, headers, method, params)
}

function legacyRequest(
  { url, token }: Endpoint,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}
