/** The parts of a request that an upstream gets, and the parts that the policy sees. */
import { HubError } from '../base/hub-error.ts'
import type { MarkedParam } from '../base/mcp-headers.ts'
import { encodeHeader, markedParams, valueAt } from '../base/mcp-headers.ts'
import { isReturnable, longestReturned } from '../base/returned-text.ts'
import type { Call, Params } from '../mcp/mcp.ts'
import { isRecord, metaKey, metaOf } from '../mcp/mcp.ts'
import { traceparentOf } from './trace.ts'

/** The params for the upstream, without those that belong to the hop between client and hub. */
export function paramsFor(params: Params, call: Call): Record<string, unknown> {
  const own: Record<string, unknown> = {}
  for (const name in params) if (!isOfHop.has(name)) own[name] = params[name]
  own['_meta'] = metaFor(call)
  return own
}

const isOfHop: ReadonlySet<string> = new Set(['inputResponses', 'requestState', '_meta'])

function metaFor(call: Call): Params {
  const given = metaOf(call.params)
  const meta: Record<string, unknown> = {}
  for (const name in given) if (!isMetaOfHop.has(name)) meta[name] = given[name]
  // The transport to a legacy upstream leaves this out.
  if (meta[metaKey.logLevel] === undefined && call.logLevel !== undefined) meta[metaKey.logLevel] = call.logLevel
  meta['traceparent'] = traceparentOf(call)
  return meta
}

const isMetaOfHop: ReadonlySet<string> = new Set([
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
])

/** The headers in which a modern upstream expects arguments repeated, as its schema marks them. */
export function paramHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(schema)) return undefined
  let marked = markedIn.get(schema)
  if (!marked) markedIn.set(schema, (marked = markedParams(schema)))
  if (marked.length === 0) return undefined
  const headers = marked.flatMap(({ header, path }) => {
    const value = valueAt(args, path)
    if (value === undefined) return []
    const text = String(value)
    if (!isReturnable(text)) throw tooLongForHeader(path)
    return [[header, encodeHeader(text)] as const]
  })
  return Object.fromEntries(headers)
}

function tooLongForHeader(path: readonly string[]): HubError {
  return new HubError(
    'too-large',
    `"${path.join('.').slice(0, 100)}": the upstream wants this argument in a header, and a header may have ${longestReturned} characters at most.`,
  )
}

const markedIn = new WeakMap<object, readonly MarkedParam[]>()

/** The arguments as the policy sees them. */
export function withoutWire(params: Params): Readonly<Record<string, unknown>> {
  const { _meta: _, inputResponses: _1, requestState: _2, ...args } = params
  return args
}
