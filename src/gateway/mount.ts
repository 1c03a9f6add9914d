/** One bound connector of one session: its upstream, what that last offered, and the way to it. */
import { createBatch } from '../base/batch.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type {
  AnyRequest,
  Call,
  InputRequired,
  LoggingLevel,
  Params,
  Resource,
  Upstream,
  UpstreamListener,
} from '../mcp/mcp.ts'
import { clientCapabilities } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'
import type { Definitions } from './definitions.ts'
import { define, unlistedResource } from './definitions.ts'
import type { Gate } from './gate.ts'
import type { ListField, MountLists } from './mount-lists.ts'
import { noLists, readLists } from './mount-lists.ts'
import { createMountRelay } from './mount-relay.ts'
import type { RelayedCalls } from './relayed-call.ts'
import { answerFor } from './relayed-call.ts'
import type { SharedUpstreams, UpstreamLease } from './shared-upstreams.ts'
import type { MountTasks } from './task-ids.ts'

export interface Mount extends AsyncDisposable {
  readonly bound: BoundConnector
  readonly state: MountState
  readonly upstream: Upstream | undefined
  readonly definitions: Definitions
  /** While its first lists are still to come; nobody should wait for long. */
  readonly comingUp: Promise<void> | undefined
  readonly hasResources: boolean
  /** Whether names begin with the mount's. */
  setPrefix(hasPrefix: boolean): void
  resourceAt(uri: string): Resource
  read(uri: string, call: Call): Promise<object | InputRequired>
  readonly tasks: MountTasks
  /** A method that MCP does not know. */
  request(method: string, params: Params, call: Call): Promise<object | InputRequired>
  notify(method: string, params: Params, call: Call): void
  setLogLevel(level: LoggingLevel): void
  /** Follows a resource that the policy allows to be read. */
  watch(uri: string, call: Call, follower: Follower): Promise<void>
  /** What was followed before, by an earlier hub or an earlier mount. */
  watchAgain(uri: string, follower: Follower): Promise<void>
  unwatch(uri: string, follower: Follower): void
}

/** The clients of the session, which subscribe; its agent, which calls a tool. Each lets go of its own only. */
export type Follower = 'clients' | 'agent'

export type MountState =
  | { readonly state: 'initializing' }
  | { readonly state: 'running'; readonly tools: readonly string[] }
  | { readonly state: 'failed'; readonly error: string }

export interface MountOptions {
  readonly bound: BoundConnector
  readonly hasPrefix: boolean
  readonly upstreams: SharedUpstreams
  readonly calls: RelayedCalls
  readonly tasks: MountTasks
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

/** What could not be listed is asked for again, later each time: nobody calls what nobody sees. */
const retryMs = { first: 5_000, longest: 300_000 }

export function createMount(options: MountOptions): Mount {
  const { bound, upstreams, calls, tasks, gate, log } = options
  const { label, connector, target } = bound
  const route = target instanceof Error ? 'mcp' : `mcp:${target.reach.transport}`
  const relay = createMountRelay({ mount: label, connector, route, gate, calls, tasks, lease: running })
  let { hasPrefix } = options
  let lists: MountLists = noLists
  let definitions = defined(lists)
  let failure: string | undefined = target instanceof Error ? messageOf(target) : undefined
  let isListed = false
  let lease: UpstreamLease | undefined
  let logLevel: LoggingLevel | undefined
  let isClosed = false
  let retries = 0
  let retry: NodeJS.Timeout | undefined

  function defined(from: MountLists): Definitions {
    return define(from, { mount: label, connector, route, hasPrefix, mayBeBare: !bound.hasPrefix, relay })
  }

  function show(next: MountLists, fields: readonly ListField[]): void {
    definitions = defined(next)
    lists = next
    options.onListsChange(fields)
  }

  /** One reading at a time; what changes meanwhile is read once, afterwards. */
  const readInTurn = createBatch<readonly ListField[]>(async (asked) => {
    const fields = [...new Set(asked.flat())]
    clearTimeout(retry)
    const missing = isClosed || !lease ? [] : await read(lease.upstream, fields).catch(unread(fields))
    if (isClosed) return
    if (missing.length === 0) retries = 0
    else retry = setTimeout(() => void refresh(missing), retryDelay(retries++)).unref()
    options.onStateChange()
  })

  /** Never rejects: most who call it do not wait. */
  async function refresh(fields: readonly ListField[]): Promise<void> {
    await readInTurn(fields).catch(unread(fields))
  }

  function unread(fields: readonly ListField[]): (error: unknown) => readonly ListField[] {
    return (error) => {
      failure = `It could not be listed: ${messageOf(error)}`
      log.error({ mount: label, error }, 'what an upstream listed could not be taken over')
      return fields
    }
  }

  /** Answers what could not be read. Of that the last that is known stays. */
  async function read(upstream: Upstream, fields: readonly ListField[]): Promise<readonly ListField[]> {
    try {
      await upstream.ready()
    } catch (error) {
      failure = messageOf(error)
      return fields
    }
    const client = { capabilities: clientCapabilities }
    const results = await Promise.allSettled(fields.map((field) => readLists(upstream, client, [field])))
    if (isClosed) return []
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const next: MountLists = Object.assign({}, lists, ...found)
    const changed = fields.filter((field) => JSON.stringify(next[field]) !== JSON.stringify(lists[field]))
    const failed = results.find((result) => result.status === 'rejected')
    failure = failed && `It could not be listed: ${messageOf(failed.reason)}`
    isListed = true
    if (changed.length > 0) {
      show(next, changed)
      await options.keep(next).catch((error: unknown) => log.warn({ mount: label, error }, 'a list was not kept'))
    }
    return fields.filter((_, index) => results[index]?.status === 'rejected')
  }

  const listener: UpstreamListener = {
    status({ is, reason }) {
      if (is === 'failed') failure = reason ?? 'It failed.'
      if (is === 'running') {
        failure = undefined
        void refresh(allFields)
      }
      options.onStateChange()
    },
    notification(method, params) {
      const fields = changedFields[method]
      if (fields) return void refresh(fields)
      const uri = params?.['uri']
      if (method === 'notifications/resources/updated' && typeof uri === 'string') return options.onResourceChange(uri)
      options.onNotification(method, params && tasks.shown(params))
    },
    ask: (request: AnyRequest) => answerFor(request),
    breach(sentence) {
      log.warn({ mount: label, breach: sentence }, 'an upstream broke the protocol')
      options.onStateChange()
    },
  }

  async function start(): Promise<void> {
    if (target instanceof Error) return
    await showKnown()
    if (isClosed) return
    lease = upstreams.lease(bound, listener)
    if (logLevel) lease.setLogLevel(logLevel)
    await refresh(allFields)
  }

  /** What an earlier hub kept may be of no use to this one; the upstream is asked in any case. */
  async function showKnown(): Promise<void> {
    try {
      const known = await options.known()
      if (known && !isClosed) show(known, allFields)
    } catch (error) {
      log.warn({ mount: label, error }, 'the lists that were kept cannot be used')
    }
  }

  function running(): UpstreamLease {
    if (lease && !isClosed) return lease
    const reason = isClosed ? 'it was taken away' : (failure ?? 'it is just starting')
    throw new HubError('unavailable', `The mount "${label}" cannot be used: ${reason}.`)
  }

  let firstLists: Promise<void> | undefined = start()
    .catch(unread(allFields))
    .then(() => (firstLists = undefined))

  return {
    bound,
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
      const { capabilities = {} } = lease?.upstream.identity ?? {}
      return lists.resources.length > 0 || lists.resourceTemplates.length > 0 || 'resources' in capabilities
    },
    setPrefix(next) {
      if (hasPrefix === next) return
      hasPrefix = next
      show(lists, ['tools', 'prompts'])
    },
    resourceAt: (uri) => unlistedResource(uri, relay),
    read: (uri, call) => relay.request('read', 'resources/read', { uri }, call),
    tasks,
    request: (method, params, call) => relay.other(method, params, call),
    notify(method, params, call) {
      if (lease?.upstream.status.is !== 'running') return
      const noteUntold = (error: unknown) => log.debug({ mount: label, method, error }, 'an upstream was not told')
      relay.notify(method, params, call).catch(noteUntold)
    },
    setLogLevel(level) {
      logLevel = level
      lease?.setLogLevel(level)
    },
    watch: (uri, call, follower) => relay.watch(uri, call, true, follower),
    async watchAgain(uri, follower) {
      await firstLists
      await running().watch(uri, follower)
    },
    unwatch: (uri, follower) => void lease?.unwatch(uri, follower).catch(() => {}),
    async [Symbol.asyncDispose]() {
      isClosed = true
      tasks[Symbol.dispose]()
      clearTimeout(retry)
      await lease?.[Symbol.asyncDispose]()
    },
  }
}

function retryDelay(retries: number): number {
  return Math.min(retryMs.first * 2 ** retries, retryMs.longest)
}
