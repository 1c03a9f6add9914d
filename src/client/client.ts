/**
 * A small MCP client for the page and the CLI. It speaks only 2026-07-28. It also runs in a browser, because the caller
 * passes in the function that sends a request.
 */
import { encodeHeader, markedParams, namedField, valueAt } from '../base/mcp-headers.ts'
import type { MarkedParam } from '../base/mcp-headers.ts'
import { isRecord } from '../base/is-record.ts'
import { ClientError } from './client-error.ts'
import { messagesOf } from './exchange.ts'
import type { Message } from './exchange.ts'
import type { HttpAnswer, Send } from './transport.ts'

export { ClientError } from './client-error.ts'
export type { Fault } from './client-error.ts'
export type { HttpAnswer, Send } from './transport.ts'

export const clientRevision = '2026-07-28'

export interface Client {
  /** Throws a `ClientError` for every failure, or the reason of the caller's own signal. */
  callTool(name: string, args: Json, options?: RequestOptions): Promise<ToolResult>
  listTools(options?: RequestOptions): Promise<readonly Json[]>
  listResources(options?: RequestOptions): Promise<readonly Json[]>
  /** Returns the contents of a resource. */
  readResource(uri: string, options?: RequestOptions): Promise<readonly Json[]>
  /**
   * Passes on the acknowledgement and then each notice that the filter asks for. Changes before the acknowledgement may go
   * unnoticed. Resolves when the hub ends the stream.
   */
  listen(filter: NoticeFilter, onNotice: (notice: Notice) => void, options?: RequestOptions): Promise<void>
}

export type Json = Readonly<Record<string, unknown>>

export interface ClientOptions {
  readonly url: string
  readonly token?: string | undefined
  readonly info: { readonly name: string; readonly version: string }
  readonly send: Send
}

export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal
  /** How long to wait without progress. `undefined` means for ever. */
  readonly timeoutMs?: number
  onProgress?(progress: Json): void
}

export interface ToolResult extends Json {
  readonly content: readonly Json[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** The filter of `subscriptions/listen`. */
export interface NoticeFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

export interface Notice {
  readonly method: string
  readonly params: Json
}

/** A hub holds a call that waits. A server that answers at once is asked again after a pause, which grows to a second. */
const shortestPauseMs = 10
const longestPauseMs = 1_000

const headerMismatch = -32020

export function createClient({ url, token, info, send }: ClientOptions): Client {
  let lastId = 0
  /** The arguments of each tool that headers must repeat. Loaded after a call was refused because they were missing. */
  let marks: ReadonlyMap<string, readonly MarkedParam[]> | undefined

  async function request(
    method: string,
    params: Json,
    options: RequestOptions,
    onNotice?: (notice: Notice) => void,
  ): Promise<Json> {
    const id = ++lastId
    const { signal, timeoutMs, onProgress } = options
    using deadline = createDeadline(timeoutMs)
    const ended = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal
    const _meta = { ...requestMeta(info), progressToken: id }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': clientRevision,
      'Mcp-Method': method,
      ...repeatedHeaders(method, params, marks),
    }
    try {
      const answer = await sendOrThrow(send(url, { method: 'POST', headers, body, signal: ended }))
      for await (const message of messagesOf(answer)) {
        if (message.method === 'notifications/progress') {
          deadline.extend()
          onProgress?.(message.params ?? {})
        } else if (message.method !== undefined) {
          onNotice?.({ method: message.method, params: message.params ?? {} })
        } else return resultOf(message)
      }
      throw new ClientError({ is: 'broken' }, 'the response ended without an answer')
    } catch (error) {
      signal?.throwIfAborted()
      if (deadline.signal.aborted) throw new ClientError({ is: 'timed-out' }, 'the request timed out', { cause: error })
      throw error
    }
  }

  /**
   * A call that waits for an approval returns a state. The client repeats the call with that state until the server
   * answers: only the server knows how long a person may take.
   */
  async function requestInRounds(method: string, params: Json, options: RequestOptions): Promise<Json> {
    let result = await request(method, params, options)
    for (let pauseMs = shortestPauseMs; result['resultType'] === 'input_required'; pauseMs *= 2) {
      const { inputRequests, requestState } = result
      if (isRecord(inputRequests) && Object.keys(inputRequests).length > 0) {
        throw new ClientError({ is: 'input-required' }, 'the server asks for input, which this client cannot give')
      }
      await pause(Math.min(pauseMs, longestPauseMs), options.signal)
      result = await request(method, { ...params, requestState }, options)
    }
    return result
  }

  async function listAll(method: string, field: string, options: RequestOptions): Promise<readonly Json[]> {
    const items: Json[] = []
    let cursor: unknown
    do {
      const page = await request(method, cursor === undefined ? {} : { cursor }, options)
      items.push(...recordsIn(page, field))
      cursor = page['nextCursor']
    } while (cursor !== undefined)
    return items
  }

  const listTools = (options: RequestOptions = {}) => listAll('tools/list', 'tools', options)

  return {
    async callTool(name, args, options = {}) {
      const call = () => requestInRounds('tools/call', { name, arguments: args }, options)
      try {
        return toToolResult(await call())
      } catch (error) {
        if (marks || !(error instanceof ClientError && error.code === headerMismatch)) throw error
        const tools = await listTools(options)
        marks = new Map(tools.map((tool) => [String(tool['name']), markedParams(tool['inputSchema'])]))
        return toToolResult(await call())
      }
    },
    listTools,
    listResources: (options = {}) => listAll('resources/list', 'resources', options),
    async readResource(uri, options = {}) {
      return recordsIn(await requestInRounds('resources/read', { uri }, options), 'contents')
    },
    async listen(filter, onNotice, options = {}) {
      await request('subscriptions/listen', { notifications: filter }, options, onNotice)
    },
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = () => resolve()
  signal?.addEventListener('abort', end)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
}

function requestMeta(info: ClientOptions['info']): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': clientRevision,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

/** The headers that repeat parts of the body, so that proxies can route without parsing it. */
function repeatedHeaders(
  method: string,
  params: Json,
  marks: ReadonlyMap<string, readonly MarkedParam[]> | undefined,
): Record<string, string> {
  const named = namedField(method, params)
  const marked = named === undefined ? [] : (marks?.get(named.value) ?? [])
  return {
    ...(named && { 'Mcp-Name': encodeHeader(named.value) }),
    ...Object.fromEntries(
      marked.flatMap(({ header, path }) => {
        const value = valueAt(params['arguments'], path)
        return value === undefined ? [] : [[header, encodeHeader(String(value))]]
      }),
    ),
  }
}

async function sendOrThrow(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await answer
  } catch (cause) {
    throw new ClientError({ is: 'unreachable' }, cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function resultOf({ result, error }: Message): Json {
  if (error) throw new ClientError({ is: 'error', error }, error.message)
  if (!result) throw new ClientError({ is: 'broken' }, 'the answer has no result')
  return result
}

function toToolResult(result: Json): ToolResult {
  return { ...result, content: recordsIn(result, 'content') }
}

function recordsIn(result: Json, field: string): readonly Json[] {
  const items = result[field]
  if (!Array.isArray(items)) throw new ClientError({ is: 'broken' }, `the answer has no "${field}"`)
  return items.filter(isRecord)
}

interface Deadline extends Disposable {
  readonly signal: AbortSignal
  extend(): void
}

function createDeadline(afterMs: number | undefined): Deadline {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const extend = () => {
    stop()
    if (afterMs !== undefined) timer = setTimeout(() => controller.abort(), afterMs)
  }
  extend()
  return { signal: controller.signal, extend, [Symbol.dispose]: stop }
}
