/** The HTTP requests of the benchmark as bytes: the same tool call in each era. */
import { modernMeta } from '../../test/harness/modern-call.ts'
import { modernVersion, newestLegacyVersion } from '../../src/mcp/wire.ts'

export interface Target {
  readonly port: number
  readonly path: string
  readonly token?: string
}

const tool = { name: 'hub_status', arguments: {} }

export function legacyCall(target: Target, connectionId: string, id: number): Buffer {
  const headers = { 'mcp-session-id': connectionId, 'mcp-protocol-version': newestLegacyVersion }
  return post(target, headers, { jsonrpc: '2.0', id, method: 'tools/call', params: tool })
}

export function modernCall(target: Target, id: number): Buffer {
  const headers = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': tool.name }
  return post(target, headers, { jsonrpc: '2.0', id, method: 'tools/call', params: { ...tool, _meta: modernMeta } })
}

export function initialize(target: Target): Buffer {
  const params = {
    protocolVersion: newestLegacyVersion,
    capabilities: {},
    clientInfo: { name: 'signalbox-bench', version: '1.0.0' },
  }
  return post(target, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
}

export function initialized(target: Target, connectionId: string): Buffer {
  const headers = { 'mcp-session-id': connectionId, 'mcp-protocol-version': newestLegacyVersion }
  return post(target, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
}

export function post(
  { port, path, token }: Target,
  headers: Readonly<Record<string, string>>,
  message: object,
): Buffer {
  const body = JSON.stringify(message)
  const all = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}
