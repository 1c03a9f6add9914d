/** The mounts of one session: kept in step with its bindings, and offered to its agent as one provider. */
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Call, Notices, Prompt, Provider, Resource, Tool } from '../mcp/mcp.ts'
import { notification } from '../mcp/mcp.ts'
import type { BoundConnector } from './bound-connector.ts'
import type { Gate } from './gate.ts'
import type { Mount, MountState } from './mount.ts'
import { createMount } from './mount.ts'
import type { MountLists } from './mount-lists.ts'
import type { RelayedCalls } from './relayed-call.ts'
import type { SharedUpstreams } from './shared-upstreams.ts'

export interface SessionMounts extends AsyncDisposable {
  readonly provider: Provider
  /** Highest priority first. */
  readonly mounts: readonly Mount[]
  stateOf(label: string): MountState | undefined
  /** The bindings have changed. */
  refresh(): Promise<void>
  /** The first bindings have been read. */
  readonly opened: Promise<void>
}

export interface SessionMountsOptions {
  readonly session: string
  readonly faceId: string
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
  readonly onResourceChange: (mount: string, uri: string) => void
}

export const mountsPrefix = 'resource://mounts/'

export function createSessionMounts(options: SessionMountsOptions): SessionMounts {
  const { session, faceId, upstreams, calls, gate, notices, graceMs } = options
  const log = options.log.child({ session })
  const inTurn = createSerial()
  let mounts: readonly Mount[] = []
  let isClosed = false

  async function reconcile(): Promise<void> {
    if (isClosed) return
    const wanted = (await options.bindings()).toSorted((one, other) => other.priority - one.priority)
    const hasPrefix = (bound: BoundConnector) => bound.hasPrefix || wanted.length > 1
    const isSame = (mount: Mount, bound: BoundConnector) =>
      mount.bound.label === bound.label &&
      mount.bound.connector === bound.connector &&
      mount.bound.fingerprint === bound.fingerprint &&
      mount.hasPrefix === hasPrefix(bound)
    const gone = mounts.filter((mount) => !wanted.some((bound) => isSame(mount, bound)))
    const next = wanted.map((bound) => mounts.find((mount) => isSame(mount, bound)) ?? open(bound, hasPrefix(bound)))
    const isChanged = gone.length > 0 || next.length !== mounts.length
    mounts = next
    if (isChanged) tellAll()
    await Promise.all(gone.map((mount) => mount[Symbol.asyncDispose]()))
    if (isClosed) await closeAll()
  }

  function open(bound: BoundConnector, hasPrefix: boolean): Mount {
    const mount: Mount = createMount({
      bound,
      hasPrefix,
      upstreams,
      calls,
      gate,
      log,
      known: () => options.known(bound),
      keep: (lists) => options.keep(bound, lists),
      onStateChange() {
        notices.resourceChanged(`${mountsPrefix}${bound.label}`, faceId)
        options.onStatusChange(bound.connector)
      },
      onListsChange(fields) {
        if (fields.includes('tools')) notices.listChanged('tools', faceId)
        if (fields.includes('prompts')) notices.listChanged('prompts', faceId)
        if (fields.some((field) => field.startsWith('resource'))) notices.listChanged('resources', faceId)
      },
      onResourceChange(uri) {
        notices.resourceChanged(uri, faceId)
        options.onResourceChange(bound.label, uri)
      },
      onNotification: (method, params) => notices.tell(faceId, notification(method, params)),
    })
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
    if (!isWanted) ownerOf(uri)?.unwatch(uri)
  })
  let isOpened = false
  const opened = inTurn(reconcile).then(() => {
    isOpened = true
    // Clients that came before this hub are still subscribed.
    for (const uri of interest.topics) ownerOf(uri)?.watchAgain(uri)
  })
  opened.catch((error: unknown) => log.error({ error }, 'the mounts of a session could not be opened'))

  /** Where a resource is read: a list names it, or there is only one it can be. */
  function ownerOf(uri: string): Mount | undefined {
    const named = mounts.find(({ definitions }) => definitions.resourcesByUri.has(uri))
    if (named) return named
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
    tools: () => mounts.flatMap(({ definitions }): readonly Tool[] => definitions.tools),
    findTool(name) {
      for (const { definitions } of mounts) {
        const tool = definitions.toolsByName.get(name)
        if (tool) return tool
      }
      return undefined
    },
    resources,
    resourceTemplates: () => [stateTemplate(), ...mounts.flatMap(({ definitions }) => definitions.templates)],
    resourceAt: (uri) => (uri.startsWith(mountsPrefix) ? undefined : unlisted(uri)),
    prompts: () => mounts.flatMap(({ definitions }): readonly Prompt[] => definitions.prompts),
    request: (method, params, call) => requestOf(method)?.request(method, params, call),
    notify: (method, params) => mounts.forEach((mount) => mount.notify(method, params)),
    setLogLevel: (level) => mounts.forEach((mount) => mount.setLogLevel(level)),
    comingUp(tool) {
      if (isOpened && mounts.every((mount) => mount.comingUp === undefined)) return undefined
      return tool === undefined ? Promise.race([allUp(), patience(graceMs)]) : mountUp(tool)
    },
    notes() {
      const missing = mounts.flatMap(({ bound, state }) =>
        state.state === 'running' ? [] : [{ mount: bound.label, ...state }],
      )
      return missing.length > 0 ? { 'io.signalbox/missing': missing } : undefined
    },
    instructions() {
      const told = mounts.flatMap(({ bound, upstream }) => {
        const text = upstream?.identity?.instructions?.slice(0, maxInstructions)
        return text ? [`About ${bound.label}: ${text}`] : []
      })
      return told.length > 0 ? told.join('\n\n') : undefined
    },
  }

  async function allUp(): Promise<void> {
    await opened
    await Promise.allSettled(mounts.flatMap((mount) => mount.comingUp ?? []))
  }

  async function mountUp(tool: string): Promise<void> {
    await opened
    await mounts.find(({ bound, hasPrefix }) => !hasPrefix || tool.startsWith(`${bound.label}_`))?.comingUp
  }

  /** Many upstreams hold more than they list. */
  function unlisted(uri: string): Resource | undefined {
    const owner = ownerOf(uri)
    return owner && !owner.definitions.resourcesByUri.has(uri) ? owner.resourceAt(uri) : undefined
  }

  /** A method that MCP does not know is for the one upstream there is; with several nobody can tell. */
  function requestOf(_method: string): Mount | undefined {
    return mounts.length === 1 ? mounts[0] : undefined
  }

  function stateTemplate() {
    return {
      uriTemplate: `${mountsPrefix}{mount}`,
      name: 'mount',
      description: 'Whether the tools of a mount are there: initializing, running with their names, or failed and why.',
      mimeType: 'application/json',
      complete: {
        mount: (value: string) => mounts.map(({ bound }) => bound.label).filter((label) => label.startsWith(value)),
      },
      async read(uri: string, _: unknown, _call: Call) {
        const state = stateOf(uri.slice(mountsPrefix.length))
        return state && { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(state) }] }
      },
    }
  }

  function stateOf(label: string): MountState | undefined {
    return mounts.find(({ bound }) => bound.label === label)?.state
  }

  return {
    provider,
    get mounts() {
      return mounts
    },
    stateOf,
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

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
