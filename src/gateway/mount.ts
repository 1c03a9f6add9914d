/** One bound connector of one session: its upstream, its last known lists, and the path to it. */
import { methodPolicyName } from '../api/policy-names.ts'
import { createToolTest } from '../api/tool-filter.ts'
import { backoffMs } from '../base/backoff.ts'
import { createBatch } from '../base/batch.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createPacedSet } from '../base/paced-set.ts'
import { shortReason } from '../base/short-reason.ts'
import type { Call, Follower, Handler, LoggingLevel, Params, Resource } from '../mcp/mcp.ts'
import type { AnyRequest, Upstream, UpstreamListener } from '../upstream/upstream.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import type { Definitions, RunnableDefinitions } from './definitions.ts'
import { define, defineResource } from './definitions.ts'
import type { MeasuredLists, ListField, MountLists } from './mount-lists.ts'
import { listFields as allFields, measureLists, nothingMeasured, readAgain } from './mount-lists.ts'
import type { QuestionGate } from './question-gate.ts'
import { createMountRelay } from './mount-relay.ts'
import { createMountRoots } from './mount-roots.ts'
import type { RelayedCalls } from './relayed-call.ts'
import { answerFor } from './relayed-call.ts'
import type { SessionRoots } from './session-roots.ts'
import type { SharedUpstreams, UpstreamLease } from './shared-upstreams.ts'
import { withoutQuestions } from './result-questions.ts'
import { createRateLimit, noticeLimits } from './rate-limit.ts'
import type { MountTasks } from './task-ids.ts'

export interface Mount extends AsyncDisposable {
  readonly bound: ResolvedConnector
  readonly state: MountState
  readonly upstream: Upstream | undefined
  readonly definitions: Definitions
  /** The upstream lists more than its quota, or an entry too large to keep. */
  readonly isCut: boolean
  /** The pages of one of its lists do not end. */
  readonly isEndless: boolean
  /** Pending while its first lists are being read. Callers should not wait for long. */
  readonly comingUp: Promise<void> | undefined
  readonly hasResources: boolean
  readonly wantsRoots: boolean
  notifyRootsChanged(): Promise<void>
  /** Sets whether names start with the mount's name. */
  setPrefix(hasPrefix: boolean): void
  readonly tasks: MountTasks
  readonly offers: MountOffers
  setLogLevel(level: LoggingLevel): void
  /** Restores a subscription of an earlier hub or an earlier mount. */
  watchAgain(uri: string, follower: Follower): Promise<void>
  unwatch(uri: string, follower: Follower): void
}

/**
 * The offers of a mount to the face of its session. Running one directly would bypass the layers of the face, including
 * the gate. Only the provider of the session's mounts may use them, to pass them on.
 */
export interface MountOffers {
  readonly definitions: RunnableDefinitions
  /** Any resource, listed or not. */
  resourceAt(uri: string): Resource
  /** For a method that MCP does not define. */
  requestHandler(method: string, params: Params): Handler
  /** `undefined`: the upstream does not run. */
  notificationHandler(method: string, params: Params): Handler | undefined
}

export type MountState =
  | { readonly state: 'initializing' }
  | { readonly state: 'running'; readonly tools: readonly string[] }
  | { readonly state: 'failed'; readonly error: string }

export interface MountOptions {
  readonly bound: ResolvedConnector
  readonly hasPrefix: boolean
  readonly questions: QuestionGate
  readonly upstreams: SharedUpstreams
  readonly calls: RelayedCalls
  readonly tasks: MountTasks
  readonly roots: SessionRoots
  /** Runs before a call is passed on to the upstream. */
  readonly prepare: (call: Call) => Promise<void> | undefined
  readonly log: Log
  readonly known: () => Promise<MountLists | undefined>
  readonly keep: (lists: MountLists) => Promise<void>
  /** The quota of all its lists together, as JSON. */
  readonly maxListBytes: number
  readonly onStateChange: () => void
  /** The upstream has written something. Not for each line of a program that writes a lot. */
  readonly onOutput: () => void
  readonly onListsChange: (fields: readonly ListField[]) => void
  readonly onResourceChange: (uri: string) => void
  readonly onNotification: (method: string, params: Params | undefined) => void
}

const changedFields: Readonly<Record<string, readonly ListField[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
  'notifications/prompts/list_changed': ['prompts'],
}

/** A list that could not be read is read again, with backoff: an agent cannot call a tool it does not see. */
const listing = { firstMs: 5_000, longestMs: 300_000 }

/**
 * The pause between two readings of an upstream that reports list changes all the time: ten times the duration of a
 * reading.
 */
const pauseMs = { shortest: 1_000, longest: 60_000 }
const pausePerReading = 10
const changesEveryMs = 100
const outputEveryMs = 500

export function createMount(options: MountOptions): Mount {
  const { bound, upstreams, calls, tasks, log } = options
  const { label, connector, target } = bound
  const route = target instanceof Error ? 'mcp' : `mcp:${target.reach.transport}`
  const { prepare } = options
  const roots = createMountRoots(bound, options.roots)
  const place = { mount: label, connector, route }
  const questions = options.questions.ofMount(place)
  const { mayNameRoots } = options.roots
  const relay = createMountRelay({ calls, tasks, questions, roots: roots.list, mayNameRoots, prepare, lease: running })
  const subjectOfMethod = (method: string) => ({ tool: methodPolicyName(label, method), route, upstream: connector })
  const isOffered = createToolTest(bound.tools ?? {})
  let { hasPrefix } = options
  let listed = nothingMeasured
  let definitions = defined(listed.lists)
  let failure: string | undefined = target instanceof Error ? messageOf(target) : undefined
  let isListed = false
  let lease: UpstreamLease | undefined
  let logLevel: LoggingLevel | undefined
  let isClosed = false
  let retries = 0
  let retry: NodeJS.Timeout | undefined
  const mayPass = createRateLimit(noticeLimits)
  const outdated = createPacedSet<ListField>((fields) => refresh(fields), pauseAfter)
  const changed = createPacedSet<string>(
    (uris) => uris.forEach((uri) => options.onResourceChange(uri)),
    () => changesEveryMs,
  )
  const output = createPacedSet<'line'>(
    () => options.onOutput(),
    () => outputEveryMs,
  )

  function hasEndlessList(): boolean {
    return listed.measures.values().some(({ isEndless }) => isEndless)
  }

  /** All pages of an endless list are read for nothing. */
  function pauseAfter(readingMs: number): number {
    if (hasEndlessList()) return pauseMs.longest
    return Math.min(Math.max(readingMs * pausePerReading, pauseMs.shortest), pauseMs.longest)
  }

  /** A tool without a definition can be neither listed nor called. */
  function defined(from: MountLists): RunnableDefinitions {
    const tools = from.tools.filter(({ name }) => typeof name === 'string' && isOffered(name))
    return define({ ...from, tools }, { ...place, hasPrefix, mayBeBare: !bound.hasPrefix, relay })
  }

  function show(next: MeasuredLists, fields: readonly ListField[]): void {
    definitions = defined(next.lists)
    listed = next
    options.onListsChange(fields)
  }

  /** Reads one at a time. Changes during a reading are read once, after it. */
  const readInTurn = createBatch<readonly ListField[]>(async (asked) => {
    const fields = [...new Set(asked.flat())]
    clearTimeout(retry)
    const missing = isClosed || !lease ? [] : await read(lease.upstream, fields).catch(unread(fields))
    if (isClosed) return
    if (missing.length === 0) retries = 0
    else retry = setTimeout(() => void refresh(missing), backoffMs(listing, ++retries)).unref()
    options.onStateChange()
  })

  /** Never rejects, because most callers do not wait for it. */
  async function refresh(fields: readonly ListField[]): Promise<void> {
    await readInTurn(fields).catch(unread(fields))
  }

  function unread(fields: readonly ListField[]): (error: unknown) => readonly ListField[] {
    return (error) => {
      failure = `It could not be listed: ${shortReason(messageOf(error))}`
      log.error({ mount: label, error }, 'the lists of an upstream could not be processed')
      return fields
    }
  }

  /** Returns the lists that could not be read. They keep their last known entries. */
  async function read(upstream: Upstream, fields: readonly ListField[]): Promise<readonly ListField[]> {
    try {
      await upstream.ready()
    } catch (error) {
      failure = shortReason(messageOf(error))
      return fields
    }
    const reading = await readAgain(upstream, fields, listed, options.maxListBytes)
    if (isClosed) return []
    const { missing, reason } = reading
    failure = reason === undefined ? undefined : `It could not be listed: ${shortReason(messageOf(reason))}`
    isListed = true
    if (reading.changed.length === 0) listed = reading.listed
    else {
      show(reading.listed, reading.changed)
      await options
        .keep(listed.lists)
        .catch((error: unknown) => log.warn({ mount: label, error }, 'a list was not cached'))
    }
    return missing
  }

  const listener: UpstreamListener = {
    status({ is, reason }) {
      if (is === 'failed') failure = shortReason(reason ?? 'It failed.')
      if (is === 'running') {
        failure = undefined
        void refresh(allFields)
      }
      options.onStateChange()
    },
    notification(method, params) {
      const fields = Object.hasOwn(changedFields, method) ? changedFields[method] : undefined
      if (fields) return outdated.add(...fields)
      const uri = params?.['uri']
      if (method === 'notifications/resources/updated' && typeof uri === 'string') return changed.add(uri)
      if (!mayPass(params)) return
      const shown = withoutQuestions(params)
      options.onNotification(method, shown && tasks.shown(shown))
    },
    ask(request: AnyRequest) {
      if (request.method === 'roots/list') roots.isWanted = true
      return answerFor(request, roots.list)
    },
    output: () => output.add('line'),
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

  /** Shows the lists that an earlier hub cached. They may be unusable; the upstream is asked in any case. */
  async function showKnown(): Promise<void> {
    try {
      const known = await options.known()
      if (!known) return
      const next = await measureLists(known)
      if (isClosed) return
      show(next, allFields)
      shown.resolve()
    } catch (error) {
      log.warn({ mount: label, error }, 'the cached lists cannot be used')
    }
  }

  function running(): UpstreamLease {
    if (lease && !isClosed) return lease
    const reason = isClosed ? 'it was detached' : (failure ?? 'it is still starting')
    throw new HubError('unavailable', `The mount "${label}" cannot be used: ${reason}.`)
  }

  const shown = Promise.withResolvers<void>()
  const started = start().catch(unread(allFields))
  let comingUp: Promise<void> | undefined = Promise.race([started, shown.promise]).then(() => {
    comingUp = undefined
  })

  return {
    bound,
    get upstream() {
      return lease?.upstream
    },
    get definitions() {
      return definitions
    },
    get isCut() {
      return listed.measures.values().some(({ isCut }) => isCut)
    },
    get isEndless() {
      return hasEndlessList()
    },
    get comingUp() {
      return comingUp
    },
    get state(): MountState {
      if (failure !== undefined) return { state: 'failed', error: failure }
      if (!isListed) return { state: 'initializing' }
      return { state: 'running', tools: definitions.tools.map(({ name }) => name) }
    },
    get hasResources() {
      const { capabilities = {} } = lease?.upstream.identity ?? {}
      const { resources, resourceTemplates } = listed.lists
      return resources.length > 0 || resourceTemplates.length > 0 || 'resources' in capabilities
    },
    get wantsRoots() {
      return roots.isWanted
    },
    notifyRootsChanged: () => roots.notifyChanged(lease?.upstream),
    setPrefix(next) {
      if (hasPrefix === next) return
      hasPrefix = next
      show(listed, ['tools', 'prompts'])
    },
    tasks,
    offers: {
      get definitions() {
        return definitions
      },
      resourceAt: (uri) => defineResource(uri, { ...place, relay }),
      requestHandler: (method, params) => ({
        subject: subjectOfMethod(method),
        params,
        run: (call) => relay.other(method, params, call),
      }),
      notificationHandler(method, params) {
        if (lease?.upstream.status.is !== 'running') return undefined
        const run = async (call: Call) => {
          try {
            await relay.notify(method, params, call)
          } catch (error) {
            log.debug({ mount: label, method, error }, 'an upstream did not get a notification')
            throw error
          }
          return {}
        }
        // This notification says only that the roots may be requested.
        return method === 'notifications/roots/list_changed'
          ? { params, run }
          : { subject: subjectOfMethod(method), params, run }
      },
    },
    setLogLevel(level) {
      logLevel = level
      lease?.setLogLevel(level)
    },
    async watchAgain(uri, follower) {
      await started
      await running().watch(uri, follower)
    },
    unwatch: (uri, follower) => void lease?.unwatch(uri, follower).catch(() => {}),
    async [Symbol.asyncDispose]() {
      isClosed = true
      tasks[Symbol.dispose]()
      clearTimeout(retry)
      outdated[Symbol.dispose]()
      changed[Symbol.dispose]()
      output[Symbol.dispose]()
      await lease?.[Symbol.asyncDispose]()
    },
  }
}
