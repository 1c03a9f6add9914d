/** The mounts of one session: kept in step with its bindings, and offered to its agent as one provider. */
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { LoggingLevel, Notices, Prompt, Provider, Resource, Tool } from '../mcp/mcp.ts'
import { moreVerbose, notification, unaskedLogLevel } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'
import { hasPrefixAmong } from './bound-connector.ts'
import type { Gate } from './gate.ts'
import type { Mount } from './mount.ts'
import { createMount } from './mount.ts'
import type { MountLists } from './mount-lists.ts'
import { mountUri } from './mount-states.ts'
import { capabilitiesOf } from './mount-capabilities.ts'
import type { PolicyNames } from './names.ts'
import { policyNames } from './names.ts'
import { requestOther } from './other-methods.ts'
import type { IsOwn } from './own-resources.ts'
import type { RelayedCalls } from './relayed-call.ts'
import type { SharedUpstreams } from './shared-upstreams.ts'
import { createTaskIds } from './task-ids.ts'

export interface SessionMounts extends AsyncDisposable {
  readonly provider: Provider
  /** Highest priority first. */
  readonly mounts: readonly Mount[]
  /** As things stand. */
  ownResources(): IsOwn
  /** `undefined`: no mount has a tool of this name. */
  namesOf(tool: string): PolicyNames | undefined
  /** The bindings have changed. */
  refresh(): Promise<void>
  /** The first bindings have been read. */
  readonly opened: Promise<void>
}

export interface SessionMountsOptions {
  readonly session: string
  readonly faceId: string
  /** What of the session's resources is the hub's, whoever lists it. */
  readonly ownResources: () => IsOwn
  readonly bindings: () => Promise<readonly BoundConnector[]>
  readonly known: (bound: BoundConnector) => Promise<MountLists | undefined>
  readonly keep: (bound: BoundConnector, lists: MountLists) => Promise<void>
  readonly upstreams: SharedUpstreams
  readonly calls: RelayedCalls
  readonly gate: Gate
  readonly notices: Notices
  readonly log: Log
  /** How long a list waits for upstreams that have just been started. */
  readonly graceMs: number
  readonly onStatusChange: (connector: string) => void
  /** A mount has come, perhaps in place of an earlier one. */
  readonly onMount: (mount: Mount) => void
  readonly onResourceChange: (mount: string, uri: string) => void
}

export function createSessionMounts(options: SessionMountsOptions): SessionMounts {
  const { session, faceId, ownResources, upstreams, calls, gate, notices, graceMs } = options
  const log = options.log.child({ session })
  const inTurn = createSerial()
  const taskIds = createTaskIds()
  let mounts: readonly Mount[] = []
  const wantedLevels = new Map<string, LoggingLevel>()
  let logLevel: LoggingLevel | undefined
  let isClosed = false

  async function reconcile(): Promise<void> {
    if (isClosed) return
    const wanted = (await options.bindings()).toSorted((one, other) => other.priority - one.priority)
    const hasPrefix = (bound: BoundConnector) => hasPrefixAmong(wanted, bound)
    const kept = (bound: BoundConnector) => mounts.find((mount) => isSame(mount.bound, bound))
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

  /** Its clients are subscribed since before it came, or before this hub did. */
  async function followAgain(mount: Mount): Promise<void> {
    options.onMount(mount)
    await mount.comingUp
    for (const uri of interest.topics) followFor(mount, uri)
  }

  function followFor(mount: Mount, uri: string): void {
    const isListed = mount.definitions.resourcesByUri.has(uri)
    // What no list names, but the hub's own scheme does, is more likely a resource of the hub.
    if (ownerOf(uri) !== mount || (uri.startsWith('resource://') && !isListed) || ownResources()(uri)) return
    mount
      .watchAgain(uri, 'clients')
      .catch((error: unknown) => log.debug({ uri, error }, 'a resource is no longer followed'))
  }

  function open(bound: BoundConnector, hasPrefix: boolean): Mount {
    const mount = createMount({
      bound,
      hasPrefix,
      upstreams,
      calls,
      tasks: taskIds.join(bound.label),
      gate,
      log,
      known: () => options.known(bound),
      keep: (lists) => options.keep(bound, lists),
      onStateChange() {
        notices.resourceChanged(mountUri(bound.label), faceId)
        options.onStatusChange(bound.connector)
      },
      onListsChange(fields) {
        if (fields.includes('tools')) notices.listChanged('tools', faceId)
        if (fields.includes('prompts')) notices.listChanged('prompts', faceId)
        if (fields.some((field) => field.startsWith('resource'))) notices.listChanged('resources', faceId)
      },
      onResourceChange(uri) {
        if (ownResources()(uri)) return
        notices.resourceChanged(uri, faceId)
        options.onResourceChange(bound.label, uri)
      },
      onNotification: (method, params) => notices.tell(faceId, notification(method, params)),
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
    // Wherever it is followed: what belongs to whom may have changed since.
    if (!isWanted) for (const mount of mounts) mount.unwatch(uri, 'clients')
  })
  let isOpened = false
  const opened = inTurn(reconcile)
    .catch((error: unknown) => log.error({ error }, 'the mounts of a session could not be opened'))
    .then(() => void (isOpened = true))

  /** Where a resource is read: a list names it, a template describes it, or there is only one it can be. */
  function ownerOf(uri: string): Mount | undefined {
    const named = mounts.find(({ definitions }) => definitions.resourcesByUri.has(uri))
    const described = mounts.find(({ definitions }) => definitions.templates.some((each) => each.matches?.(uri)))
    if (named ?? described) return named ?? described
    const able = mounts.filter((mount) => mount.hasResources)
    return able.length === 1 ? able[0] : undefined
  }

  /** Of two mounts with one resource the one with the higher priority is listed, and read. */
  function resources(): readonly Resource[] {
    const byUri = new Map<string, Resource>()
    for (const { definitions } of mounts) {
      for (const resource of definitions.resources) if (!byUri.has(resource.uri)) byUri.set(resource.uri, resource)
    }
    return [...byUri.values()]
  }

  const provider: Provider = {
    toolset: 'connectors',
    isForeign: true,
    tools: () => mounts.flatMap(({ definitions }): readonly Tool[] => definitions.tools),
    findTool(name) {
      for (const { definitions } of mounts) {
        const tool = definitions.toolsByName.get(name)
        if (tool) return tool
      }
      return undefined
    },
    resources,
    resourceTemplates: () => mounts.flatMap(({ definitions }) => definitions.templates),
    resourceAt: unlisted,
    prompts: () => mounts.flatMap(({ definitions }): readonly Prompt[] => definitions.prompts),
    request: (method, params, call) => requestOther(mounts, method, params, call),
    capabilities: (era) => capabilitiesOf(mounts, era),
    notify: (method, params, call) => mounts.forEach((mount) => mount.notify(method, params, call)),
    setLogLevel(connection, level) {
      if (level === undefined && !wantedLevels.delete(connection)) return
      if (level !== undefined) wantedLevels.set(connection, level)
      // Each client hears what it asked for; to the upstreams, the one of those still here who wants most decides.
      const levels = [...wantedLevels.values()]
      const next = levels.length > 0 ? levels.reduce(moreVerbose) : unaskedLogLevel
      if (next === logLevel) return
      logLevel = next
      for (const mount of mounts) mount.setLogLevel(next)
    },
    comingUp(tool) {
      if (isOpened && mounts.every((mount) => mount.comingUp === undefined)) return undefined
      return tool === undefined ? Promise.race([allUp(), patience(graceMs)]) : mountUp(tool)
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
      const said = mounts.flatMap(({ bound, upstream }) => {
        const text = upstream?.identity?.instructions
        return text ? [{ label: bound.label, text }] : []
      })
      if (said.length === 0) return undefined
      const each = Math.min(maxInstructions, Math.floor(maxAllInstructions / said.length))
      return said.map(({ label, text }) => `About ${label}: ${text.slice(0, each)}`).join('\n\n')
    },
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

  /** Many upstreams hold more than they list. */
  function unlisted(uri: string): Resource | undefined {
    const owner = ownerOf(uri)
    return owner && !owner.definitions.resourcesByUri.has(uri) ? owner.resourceAt(uri) : undefined
  }

  return {
    provider,
    get mounts() {
      return mounts
    },
    ownResources,
    namesOf(tool) {
      const isNamed = ({ name, policyName }: Tool) => name === tool || policyName === tool
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

/** Clients cut longer ones. */
const maxInstructions = 1_000
const maxAllInstructions = 8_000

function isSame(one: BoundConnector, other: BoundConnector): boolean {
  return one.label === other.label && one.connectorId === other.connectorId && one.fingerprint === other.fingerprint
}

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
