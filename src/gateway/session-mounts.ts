/** The mounts of one session: kept in step with its bindings, and offered to its agent as one provider. */
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Call, Handler, LoggingLevel, Notices, Params, Provider, Resource, ToolInfo } from '../mcp/mcp.ts'
import { defaultLogLevel, moreVerbose, notification } from '../mcp/mcp.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import { hasPrefixAmong } from './bound-connector.ts'
import { createListTimeout } from './list-timeout.ts'
import { capabilitiesOf } from './mount-capabilities.ts'
import type { MountLists } from './mount-lists.ts'
import { mountUri } from './mount-uri.ts'
import type { Mount } from './mount.ts'
import { createMount } from './mount.ts'
import type { PolicyNames } from './names.ts'
import { policyNames } from './names.ts'
import { requestHandlers } from './other-methods.ts'
import type { IsOwn } from './own-resources.ts'
import type { QuestionGate } from './question-gate.ts'
import type { RelayedCalls } from './relayed-call.ts'
import type { SessionRoots } from './session-roots.ts'
import type { SharedUpstreams } from './shared-upstreams.ts'
import { createTaskIds } from './task-ids.ts'

export interface SessionMounts extends AsyncDisposable {
  readonly provider: Provider
  /** Highest priority first. */
  readonly mounts: readonly Mount[]
  /** The current predicate for the hub's own resources. */
  ownResources(): IsOwn
  /** `undefined`: no mount has a tool of this name. */
  namesOf(tool: string): PolicyNames | undefined
  /** Applies changed bindings. */
  refresh(): Promise<void>
  /** Resolves when the first bindings have been read. */
  readonly opened: Promise<void>
}

export interface SessionMountsOptions {
  readonly session: string
  readonly faceId: string
  /** Which resources of the session belong to the hub, even if an upstream lists them. */
  readonly ownResources: () => IsOwn
  readonly bindings: () => Promise<readonly ResolvedConnector[]>
  readonly known: (bound: ResolvedConnector) => Promise<MountLists | undefined>
  readonly keep: (bound: ResolvedConnector, lists: MountLists) => Promise<void>
  readonly maxListBytes: number
  readonly upstreams: SharedUpstreams
  readonly calls: RelayedCalls
  readonly questions: QuestionGate
  readonly roots: SessionRoots
  readonly notices: Notices
  readonly log: Log
  /** How long a list waits for starting upstreams if no client requests it, or not for the first time. */
  readonly graceMs: number
  readonly onStatusChange: (connector: string) => void
  readonly onOutput: (connector: string) => void
  /** A mount was added. It may replace an earlier one. */
  readonly onMount: (mount: Mount) => void
  readonly onResourceChange: (mount: string, uri: string) => void
}

export function createSessionMounts(options: SessionMountsOptions): SessionMounts {
  const { session, faceId, ownResources, upstreams, calls, roots, notices, graceMs } = options
  const log = options.log.child({ session })
  const inTurn = createSerial()
  const taskIds = createTaskIds()
  const listTimeout = createListTimeout(graceMs)
  let mounts: readonly Mount[] = []
  const wantedLevels = new Map<string, LoggingLevel>()
  let logLevel: LoggingLevel | undefined
  let isClosed = false

  async function reconcile(): Promise<void> {
    if (isClosed) return
    const wanted = (await options.bindings()).toSorted((one, other) => other.priority - one.priority)
    const hasPrefix = (bound: ResolvedConnector) => hasPrefixAmong(wanted, bound)
    const kept = (bound: ResolvedConnector) => mounts.find((mount) => isSame(mount.bound, bound))
    const gone = mounts.filter((mount) => !wanted.some((bound) => isSame(mount.bound, bound)))
    const next = wanted.map((bound) => kept(bound) ?? open(bound, hasPrefix(bound)))
    const come = next.filter((mount) => !mounts.includes(mount))
    mounts = next
    for (const mount of next) mount.setPrefix(hasPrefix(mount.bound))
    if (gone.length > 0 || come.length > 0) tellAll()
    for (const mount of come) void followAgain(mount)
    await Promise.all(gone.map((mount) => mount[Symbol.asyncDispose]()))
    if (isClosed) await closeAll()
  }

  /** Restores subscriptions of clients that are older than the mount or than this hub. */
  async function followAgain(mount: Mount): Promise<void> {
    options.onMount(mount)
    await mount.comingUp
    for (const uri of interest.uris) followFor(mount, uri)
  }

  function followFor(mount: Mount, uri: string): void {
    if (ownerOf(uri) !== mount) return
    mount
      .watchAgain(uri, 'clients')
      .catch((error: unknown) => log.debug({ uri, error }, 'a subscription could not be restored'))
  }

  function open(bound: ResolvedConnector, hasPrefix: boolean): Mount {
    const mount = createMount({
      questions: options.questions,
      bound,
      hasPrefix,
      upstreams,
      calls,
      tasks: taskIds.join(bound.label),
      roots,
      prepare: shareRoots,
      log,
      known: () => options.known(bound),
      keep: (lists) => options.keep(bound, lists),
      maxListBytes: options.maxListBytes,
      onStateChange() {
        notices.resourceChanged(mountUri(bound.label), faceId)
        options.onStatusChange(bound.connector)
      },
      onOutput: () => options.onOutput(bound.connector),
      onListsChange(fields) {
        if (fields.includes('tools')) notices.listChanged('tools', faceId)
        if (fields.includes('prompts')) notices.listChanged('prompts', faceId)
        if (fields.some((field) => field.startsWith('resource'))) notices.listChanged('resources', faceId)
      },
      onResourceChange(uri) {
        notices.upstreamResourceChanged(uri, faceId)
        options.onResourceChange(bound.label, uri)
      },
      onNotification: (method, params) => notices.broadcast(faceId, notification(method, params)),
    })
    if (logLevel) mount.setLogLevel(logLevel)
    return mount
  }

  function tellAll(): void {
    for (const list of ['tools', 'prompts', 'resources'] as const) notices.listChanged(list, faceId)
  }

  async function closeAll(): Promise<void> {
    await Promise.all(mounts.map((mount) => mount[Symbol.asyncDispose]()))
    mounts = []
  }

  const interest = notices.interest(faceId, (uri, isWanted) => {
    // In all mounts: the owner of the resource may have changed since.
    if (!isWanted) for (const mount of mounts) mount.unwatch(uri, 'clients')
  })
  let isOpened = false
  const opened = inTurn(reconcile)
    .catch((error: unknown) => log.error({ error }, 'the mounts of a session could not be opened'))
    .then(() => void (isOpened = true))

  /**
   * The mount that a resource is read from: a list contains it, a template matches it, or there is only one candidate.
   */
  function ownerOf(uri: string): Mount | undefined {
    const named = mounts.find(({ definitions }) => definitions.resourcesByUri.has(uri))
    const described = mounts.find(({ definitions }) => definitions.templates.some((each) => each.matches?.(uri)))
    if (named ?? described) return named ?? described
    const able = mounts.filter((mount) => mount.hasResources)
    return able.length === 1 ? able[0] : undefined
  }

  /** If two mounts have one resource, the one with the higher priority is listed and read. */
  function resources(): readonly Resource[] {
    const byUri = new Map<string, Resource>()
    for (const { offers } of mounts) {
      for (const resource of offers.definitions.resources)
        if (!byUri.has(resource.uri)) byUri.set(resource.uri, resource)
    }
    return [...byUri.values()]
  }

  const provider: Provider = {
    toolset: 'connectors',
    isForeign: true,
    tools: () => mounts.flatMap(({ offers }) => offers.definitions.tools),
    findTool(name) {
      for (const { offers } of mounts) {
        const tool = offers.definitions.toolsByName.get(name)
        if (tool) return tool
      }
      return undefined
    },
    resources,
    resourceTemplates: () => mounts.flatMap(({ offers }) => offers.definitions.templates),
    resourceAt: (uri, label) => (label === undefined ? unlisted(uri) : mountAt(label)?.offers.resourceAt(uri)),
    prompts: () => mounts.flatMap(({ offers }) => offers.definitions.prompts),
    requestHandlers: (method, params) => requestHandlers(mounts, method, params),
    capabilities: (era) => capabilitiesOf(mounts, era),
    notificationHandlers: (method, params) => [
      ...(method === 'notifications/roots/list_changed' ? [forgetRoots(params)] : []),
      ...mounts.flatMap(({ offers }) => offers.notificationHandler(method, params) ?? []),
    ],
    setLogLevel(connection, level) {
      if (level === undefined && !wantedLevels.delete(connection)) return
      if (level !== undefined) wantedLevels.set(connection, level)
      // Each client is filtered by its own level. The upstreams get the most verbose level of the connected clients.
      const levels = [...wantedLevels.values()]
      const next = levels.length > 0 ? levels.reduce(moreVerbose) : defaultLogLevel
      if (next === logLevel) return
      logLevel = next
      for (const mount of mounts) mount.setLogLevel(next)
    },
    waitForStart({ tool, list } = {}) {
      if (isOpened && mounts.every((mount) => mount.comingUp === undefined)) return undefined
      if (tool !== undefined) return mountUp(tool)
      return Promise.race([allUp(), pause(list ? listTimeout(list) : graceMs)])
    },
    whyMissing(tool) {
      const mount = mounts.find(({ bound }) => tool.startsWith(`${bound.label}_`))
      if (mount?.state.state !== 'failed') return undefined
      return `The mount "${mount.bound.label}" has failed: ${mount.state.error}`
    },
    notes() {
      const missing = mounts.flatMap(({ bound, state }) =>
        state.state === 'running' ? [] : [{ mount: bound.label, ...state }],
      )
      return missing.length > 0 ? { 'io.signalbox/missing': missing } : undefined
    },
    instructions() {
      const texts = mounts.flatMap(({ bound, upstream }) => {
        const text = upstream?.identity?.instructions
        return text ? [{ label: bound.label, text }] : []
      })
      if (texts.length === 0) return undefined
      const each = Math.min(maxInstructions, Math.floor(maxAllInstructions / texts.length))
      return texts.map(({ label, text }) => `About ${label}: ${text.slice(0, each)}`).join('\n\n')
    },
  }

  function forgetRoots(params: Params): Handler {
    return {
      params,
      async run({ client }) {
        roots.forget(client)
        return {}
      },
    }
  }

  function mountAt(label: string): Mount | undefined {
    return mounts.find(({ bound }) => bound.label === label)
  }

  /** A client can be asked for its roots only while one of its calls runs. */
  function shareRoots(call: Call): Promise<void> | undefined {
    const asking = mounts.filter(({ wantsRoots, bound }) => wantsRoots && !bound.isShared)
    return asking.length === 0 ? undefined : learnRoots(call, asking)
  }

  async function learnRoots(call: Call, asking: readonly Mount[]): Promise<void> {
    if (await roots.learn(call)) await Promise.all(asking.map((mount) => mount.notifyRootsChanged()))
  }

  async function allUp(): Promise<void> {
    await opened
    await Promise.allSettled(mounts.flatMap((mount) => mount.comingUp ?? []))
  }

  async function mountUp(tool: string): Promise<void> {
    await opened
    const [only, ...others] = mounts
    const named = mounts.find(({ bound }) => tool.startsWith(`${bound.label}_`))
    await (named ?? (others.length === 0 ? only : undefined))?.comingUp
  }

  /** Many upstreams have resources that they do not list. */
  function unlisted(uri: string): Resource | undefined {
    const owner = ownerOf(uri)
    return owner && !owner.definitions.resourcesByUri.has(uri) ? owner.offers.resourceAt(uri) : undefined
  }

  return {
    provider,
    get mounts() {
      return mounts
    },
    ownResources,
    namesOf(tool) {
      const isNamed = ({ name, subject }: ToolInfo) => name === tool || subject?.tool === tool
      const found = mounts.flatMap(({ definitions }) => definitions.tools).find(isNamed)
      return found && policyNames(found)
    },
    opened,
    refresh: () => inTurn(reconcile),
    async [Symbol.asyncDispose]() {
      isClosed = true
      interest[Symbol.dispose]()
      await closeAll()
    },
  }
}

/** Clients cut longer instructions. */
const maxInstructions = 1_000
const maxAllInstructions = 8_000

function isSame(one: ResolvedConnector, other: ResolvedConnector): boolean {
  return one.label === other.label && one.connectorId === other.connectorId && one.fingerprint === other.fingerprint
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
