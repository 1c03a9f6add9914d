/** Sends one request of 2026-07-28 over plain fetch, without the client under test. */
import { z } from 'zod'
import { metaKey, modernVersion } from '../../src/mcp/wire.ts'

export interface Endpoint {
  readonly url: string
  readonly token: string
}

const toolOutcome = z.object({
  structuredContent: z.record(z.string(), z.unknown()).default({}),
  content: z.array(z.object({ text: z.string().optional() })),
  isError: z.boolean().default(false),
})

const answer = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
])

/** Returns the structured result of the tool. Throws if the hub does not answer with a result. */
export async function callTool(
  endpoint: Endpoint,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const outcome = toolOutcome.parse(await modernRequest(endpoint, 'tools/call', { name, arguments: args }))
  if (outcome.isError) throw new Error(`${name} failed: ${outcome.content[0]?.text}`)
  return outcome.structuredContent
}

export async function modernRequest(
  { url, token }: Endpoint,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { name, uri } = params
  const response = await fetch(url, {
    method: 'POST',
    ...(signal && { signal }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': method,
      ...(typeof (name ?? uri) === 'string' && { 'mcp-name': String(name ?? uri) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }),
  })
  const body = answer.parse(JSON.parse(lastMessageIn(await response.text())))
  if ('error' in body) throw new ModernRequestError(response.status, body.error)
  return body.result
}

/** A slow call is answered with a stream. Its last event is the answer. */
function lastMessageIn(text: string): string {
  return (
    text
      .split('\n')
      .findLast((line) => line.startsWith('data: {'))
      ?.slice('data: '.length) ?? text
  )
}

/** The hub answered, but not with a result. */
export class ModernRequestError extends Error {
  override readonly name = 'ModernRequestError'
  readonly status: number
  readonly code: number

  constructor(status: number, { code, message }: { code: number; message: string }) {
    super(`HTTP ${status}, ${code}: ${message}`)
    this.status = status
    this.code = code
  }
}

export const modernMeta = {
  [metaKey.protocolVersion]: modernVersion,
  [metaKey.clientInfo]: { name: 'signalbox-test', version: '1.0.0' },
  [metaKey.clientCapabilities]: {},
}
