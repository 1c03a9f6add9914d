/** One bound connector of one session: its upstream, what that last offered, and the way to it. */
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { MarkedParam } from '../base/mcp-headers.ts'
import { encodeHeader, markedParams, valueAt } from '../base/mcp-headers.ts'
import type { AnyRequest, Call, InputRequired, LoggingLevel, Params, Resource, Upstream } from '../mcp/mcp.ts'
import { clientCapabilities, isRecord, metaKey, metaOf } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'
import type { Definitions, Relay } from './definitions.ts'
import { define, unlistedResource } from './definitions.ts'
import type { Gate } from './gate.ts'
import { orWaitingError, orWaitingResult } from './gate.ts'
import type { ListField, Listed, MountLists } from './mount-lists.ts'
import { noLists, readLists } from './mount-lists.ts'
import { policyName } from './names.ts'
import type { RelayedCalls } from './relayed-call.ts'
import { answerFor } from './relayed-call.ts'
import type { SharedUpstreams, UpstreamLease } from './shared-upstreams.ts'
import { traceparentOf } from './trace.ts'

export interface Mount extends AsyncDisposable {
  readonly bound: BoundConnector
  readonly hasPrefix: boolean
  readonly state: MountState
  readonly upstream: Upstream | undefined
  readonly definitions: Definitions
  /** While its first lists are still to come; nobody should wait for long. */
  readonly comingUp: Promise<void> | undefined
  readonly hasResources: boolean
  resourceAt(uri: string): Resource
  read(uri: string, call: Call): Promise<object | InputRequired>
  /** A method that MCP does not know. */
  request(method: string, params: Params, call: Call): Promise<object | InputRequired>
  notify(method: string, params: Params | undefined): void
  setLogLevel(level: LoggingLevel): void
  unwatch(uri: string): void
  watchAgain(uri: string): void
}

export type MountState =
  | { readonly state: 'initializing' }
  | { readonly state: 'running'; readonly tools: readonly string[] }
  | { readonly state: 'failed'; readonly error: string }

export interface MountOptions {
  readonly bound: BoundConnector
  readonly hasPrefix: boolean
  readonly upstreams: SharedUpstreams
  readonly calls: RelayedCalls
  readonly gate: Gate
  readonly log: Log
  readonly known: () => Promise<MountLists | undefined>
  readonly keep: (lists: MountLists) => Promise<void>
  readonly onStateChange: () => void
  readonly onListsChange: (fields: readonly ListField[]) => void
  readonly onResourceChange: (uri: string) => void
  readonly onNotification: (method: string, params: Params | undefined) => void
}

const allFields: readonly ListField[] = ['tools', 'resources', 'resourceTemplates', 'prompts']
const changedFields: Readonly<Record<string, readonly ListField[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
  'notifications/prompts/list_changed': ['prompts'],
}

const mayAskBack = new Set(['resources/read', 'prompts/get'])

export function createMount(options: MountOptions): Mount {
  const { bound, upstreams, calls, gate, log } = options
  const { label, connector, target } = bound
  const route = target instanceof Error ? 'mcp' : `mcp:${target.reach.transport}`
  let lists: MountLists = noLists
  let definitions = define(noLists, { mount: label, connector, route, hasPrefix: options.hasPrefix, relay: relay() })
  let failure: string | undefined = target instanceof Error ? messageOf(target) : undefined
  let isListed = false
  let lease: UpstreamLease | undefined
  let isClosed = false
  let logLevel: LoggingLevel | undefined

  function show(next: MountLists, fields: readonly ListField[]): void {
    lists = next
    definitions = define(lists, { mount: label, connector, route, hasPrefix: options.hasPrefix, relay: relay() })
    options.onListsChange(fields)
  }

  async function refresh(fields: readonly ListField[]): Promise<void> {
    const upstream = lease?.upstream
    if (!upstream || isClosed) return
    try {
      await upstream.ready()
      const read = await readLists(upstream, { capabilities: clientCapabilities }, fields)
      if (isClosed) return
      const next = { ...lists, ...read }
      const changed = fields.filter((field) => JSON.stringify(next[field]) !== JSON.stringify(lists[field]))
      isListed = true
      failure = undefined
      if (changed.length > 0) {
        show(next, changed)
        await options.keep(next)
      }
    } catch (error) {
      failure = messageOf(error)
      log.debug({ mount: label, error: failure }, 'an upstream could not be listed')
    }
    options.onStateChange()
  }

  async function start(): Promise<void> {
    if (target instanceof Error) return
    const known = await options.known().catch(() => undefined)
    if (known && !isClosed) show(known, allFields)
    lease = upstreams.lease(bound, {
      status: ({ is, reason }) => {
        if (is === 'failed') failure = reason ?? 'It failed.'
        if (is === 'running') {
          void refresh(allFields)
          tellLogLevel()
        }
        options.onStateChange()
      },
      notification(method, params) {
        const fields = changedFields[method]
        if (fields) return void refresh(fields)
        const uri = params?.['uri']
        if (method === 'notifications/resources/updated' && typeof uri === 'string')
          return options.onResourceChange(uri)
        options.onNotification(method, params)
      },
      ask: (request: AnyRequest) => answerFor(request),
      breach: (sentence) => log.warn({ mount: label, breach: sentence }, 'an upstream broke the protocol'),
    })
    await refresh(allFields)
  }

  function relay(): Relay {
    return {
      callTool: (original, call) => relayTool(original, call),
      async request(action, method, params, call) {
        const args = withoutWire(params)
        const request = { tool: policyName(label, action), arguments: args, route, upstream: connector }
        const result = await gate.pass(request, call, (passed) => send(method, params, passed, true))
        return mayAskBack.has(method) ? orWaitingResult(result, call) : orWaitingError(result)
      },
      async watch(uri, call, mayAsk) {
        const request = { tool: policyName(label, 'read'), arguments: { uri }, route, upstream: connector, mayAsk }
        const result = await gate.pass(request, call, async () => {
          await running().subscribe(uri)
          return {}
        })
        orWaitingError(result)
      },
    }
  }

  function relayTool(original: Listed, call: Call): Promise<object | InputRequired> {
    const annotations = isRecord(original['annotations']) ? original['annotations'] : {}
    const isSafe = annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true
    const headers = paramHeaders(original['inputSchema'], call.params['arguments'])
    return send('tools/call', { ...call.params, name: original['name'] }, call, isSafe, headers)
  }

  async function send(
    method: string,
    params: Params,
    call: Call,
    isSafe: boolean,
    headers?: Readonly<Record<string, string>>,
  ): Promise<object | InputRequired> {
    const upstream = running()
    const identity = upstream.identity ?? (await upstream.ready(call.signal))
    const { inputResponses: _, requestState: _1, ...own } = params
    const meta = metaFor(identity.era, call)
    return calls.run(upstream, { method, params: { ...own, _meta: meta }, isSafe, ...(headers && { headers }) }, call)
  }

  function running(): Upstream {
    if (lease) return lease.upstream
    throw new HubError('unavailable', `The mount "${label}" cannot be used: ${failure ?? 'it is just starting'}.`)
  }

  let firstLists: Promise<void> | undefined = start().finally(() => (firstLists = undefined))

  return {
    bound,
    hasPrefix: options.hasPrefix,
    get upstream() {
      return lease?.upstream
    },
    get definitions() {
      return definitions
    },
    get comingUp() {
      return lists === noLists ? firstLists : undefined
    },
    get state(): MountState {
      if (failure !== undefined) return { state: 'failed', error: failure }
      if (!isListed) return { state: 'initializing' }
      return { state: 'running', tools: definitions.tools.map(({ name }) => name) }
    },
    get hasResources() {
      return lists.resources.length > 0 || lists.resourceTemplates.length > 0 || hasCapability('resources')
    },
    resourceAt: (uri) => unlistedResource(uri, relay()),
    read: (uri, call) => relay().request('read', 'resources/read', { uri }, call),
    async request(method, params, call) {
      const request = { tool: policyName(label, method), arguments: withoutWire(params), route, upstream: connector }
      return orWaitingError(await gate.pass(request, call, (passed) => send(method, params, passed, false)))
    },
    notify(method, params) {
      if (lease?.upstream.status.is === 'running') void lease.upstream.notify(method, params).catch(() => {})
    },
    setLogLevel(level) {
      logLevel = level
      tellLogLevel()
    },
    unwatch: (uri) => void lease?.upstream.unsubscribe(uri).catch(() => {}),
    watchAgain: (uri) => void lease?.upstream.subscribe(uri).catch(() => {}),
    async [Symbol.asyncDispose]() {
      isClosed = true
      await lease?.[Symbol.asyncDispose]()
    },
  }

  /** A modern upstream is told with each request. */
  function tellLogLevel(): void {
    const isTold = lease?.upstream.identity?.era === 'legacy' && hasCapability('logging')
    if (!isTold || logLevel === undefined) return
    const asked = { signal: AbortSignal.timeout(10_000), client: { capabilities: {} }, isSafe: true }
    lease?.upstream.request('logging/setLevel', { level: logLevel }, asked).catch(() => {})
  }

  function hasCapability(name: string): boolean {
    return name in (lease?.upstream.identity?.capabilities ?? {})
  }
}

/** What belongs to the hop between client and hub stays there. */
function metaFor(era: 'legacy' | 'modern', call: Call): Params {
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
function paramHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> | undefined {
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
function withoutWire(params: Params): Readonly<Record<string, unknown>> {
  const { _meta: _, inputResponses: _1, requestState: _2, ...args } = params
  return args
}
