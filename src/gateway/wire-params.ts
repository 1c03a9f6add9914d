/** What of a request goes on to an upstream, and what of it the policy sees. */
import type { MarkedParam } from '../base/mcp-headers.ts'
import { encodeHeader, markedParams, valueAt } from '../base/mcp-headers.ts'
import type { Call, Params } from '../mcp/mcp.ts'
import { isRecord, metaKey, metaOf } from '../mcp/mcp.ts'
import { traceparentOf } from './trace.ts'

/** What belongs to the hop between client and hub stays there. */
export function metaFor(era: 'legacy' | 'modern', call: Call): Params {
  const {
    [metaKey.protocolVersion]: _,
    [metaKey.clientInfo]: _1,
    [metaKey.clientCapabilities]: _2,
    ...meta
  } = metaOf(call.params)
  const { [metaKey.logLevel]: logLevel = call.logLevel, ...plain } = meta
  const told = era === 'modern' && logLevel !== undefined ? { [metaKey.logLevel]: logLevel } : {}
  return { ...plain, ...told, traceparent: traceparentOf(call.correlation) }
}

/** What a modern upstream wants repeated in headers, as its schema marks it. */
export function paramHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(schema)) return undefined
  let marked = markedIn.get(schema)
  if (!marked) markedIn.set(schema, (marked = markedParams(schema)))
  if (marked.length === 0) return undefined
  const headers = marked.flatMap(({ header, path }) => {
    const value = valueAt(args, path)
    return value === undefined ? [] : [[header, encodeHeader(String(value))] as const]
  })
  return Object.fromEntries(headers)
}

const markedIn = new WeakMap<object, readonly MarkedParam[]>()

/** The arguments as a policy sees them. */
export function withoutWire(params: Params): Readonly<Record<string, unknown>> {
  const { _meta: _, inputResponses: _1, requestState: _2, ...args } = params
  return args
}
