/** Assembles the sandbox of one program: its visible files, and its access to the hub and the network. */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Sandbox } from '../api/sandbox.ts'
import type { Confinement, ForwardsSpec, OutwardForward, SandboxedProgram, WrittenPlace } from '../base/confinement.ts'
import { inwardFolder, inwardSocket } from '../base/confinement.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { isLoopback } from '../base/loopback.ts'
import type { SandboxTools } from './bubblewrap.ts'
import { bubblewrap, isOwnPlace } from './bubblewrap.ts'
import { forwardLines, socatMissing, withScript } from './inside.ts'
import { packageMounts, programMounts } from './installed.ts'
import type { Limits } from './limits.ts'
import { lookAt } from './look-at.ts'
import { checkLines, exchangeable } from './mount-check.ts'
import type { Mount } from './mounts.ts'
import { arrange, hide, isAtOrInside, isInside } from './mounts.ts'
import { namedMounts, writablePaths } from './named-paths.ts'
import type { Guarded } from './program-guards.ts'
import { programGuards } from './program-guards.ts'
import { isRoot, systemMounts } from './system.ts'
import { realpathOf, trustedPath } from './trusted-path.ts'

/** The places that are the same for every program of a hub. */
export interface HubPlaces {
  readonly dataDirectory: string
  /** Directories of the hub's sockets outside the data directory. */
  readonly socketDirectories: readonly string[]
  /** Hidden, because the sockets of sessions are there. It belongs to the person, so a path inside it may be named. */
  readonly runtimeDirectory: string | undefined
  /** Inside the data directory. Not hidden from the session whose workspace it is. */
  readonly workspaces: string
  /** The directory of Signalbox and its Node, which the hooks of a session run. */
  readonly package: string
  readonly node: string
  readonly hubSocket: string
  /** The port at which a program finds the hub. */
  readonly port: number
  /** The proof that the proxy of a session sends to the hub. */
  readonly proofOf: (session: string) => string
}

export interface ProgramNeeds {
  readonly program: Pick<SandboxedProgram, 'file' | 'env'>
  readonly workspace: string | undefined
  /** What it sees in place of the git directory of its workspace. */
  readonly git: readonly Mount[]
  /** The directory that was at the path of the workspace when the session was created, if that is known. */
  readonly workspaceFolder?: Folder | undefined
  /** Files and directories of a session that its program reads. */
  readonly files: readonly string[]
  /** How the program of a session reaches the hub. `undefined`: it does not. */
  readonly hub: HubAccess | undefined
}

export interface HubAccess {
  readonly session: string
  /** The session's own socket for MCP. */
  readonly mcpSocket: string | undefined
  readonly token: string
}

export interface ConfineOptions {
  readonly sandbox: Sandbox
  readonly tools: SandboxTools
  readonly limits: Limits
  readonly socat: string | undefined
  readonly places: HubPlaces
  readonly guarded: Guarded
  readonly needs: ProgramNeeds
  /** Directories that agents may have written, without links in their paths. */
  readonly agentPlaces: readonly string[]
}

/** Where the sandbox sees the sockets of its forwards. */
const socketsInside = '/run/signalbox'
const inwardInside = '/run/signalbox-in'
const hubName = 'h'
const mcpName = 'm'
const proxyName = 'p'

/** A driver's additions to the sandbox of a session. */
interface Additions {
  readonly reached: readonly number[]
  readonly served: number | undefined
  readonly shown: readonly string[]
}

export function confine(options: ConfineOptions): Confinement {
  const { sandbox, places, needs } = options
  const { hub } = needs
  const { mounts, writable } = mountsOf(options)
  const checked = exchangeable(mounts, writable)
  const idOf = lookAtSources(checked)
  const written = writtenPlaces(mounts, hiddenOf(places))
  const hasOwnNetwork = sandbox.network !== 'all'
  const allow = typeof sandbox.network === 'object' ? sandbox.network.allow : []
  const ports = loopbackPorts(allow).filter((port) => !hub || port !== places.port)
  // Any port does, since nothing else listens in a new network.
  const proxyPort = places.port === 3128 ? 3129 : 3128
  return create({ reached: [], served: undefined, shown: [] })

  function create(additions: Additions): Confinement {
    const forwards = forwardsOf(additions)
    const more = (change: Partial<Additions>) => create({ ...additions, ...change })
    return {
      hasOwnNetwork,
      forwards,
      written,
      serving: (port) => more(hasOwnNetwork ? { served: port } : {}),
      reaching: (port) => more(hasOwnNetwork ? { reached: [...additions.reached, port] } : {}),
      showing: (file) => more({ shown: [...additions.shown, file] }),
      wrap: (program, folder) => wrap(program, folder, { forwards, shown: additions.shown }),
    }
  }

  function forwardsOf({ reached, served }: Additions): ForwardsSpec {
    const outward: OutwardForward[] = hub ? [{ name: hubName, to: 'socket', path: places.hubSocket }] : []
    if (hub?.mcpSocket !== undefined) outward.push({ name: mcpName, to: 'socket', path: hub.mcpSocket })
    if (!hasOwnNetwork) return { outward }
    for (const port of reached) outward.push({ name: String(port), to: 'port', port, isJudged: false })
    for (const port of ports) {
      if (!reached.includes(port)) outward.push({ name: String(port), to: 'port', port, isJudged: true })
    }
    if (allowsHosts()) outward.push({ name: proxyName, to: 'proxy' })
    if (!hub) return { outward, inwardPort: served }
    const asked = {
      socket: places.hubSocket,
      authority: `127.0.0.1:${places.port}`,
      token: hub.token,
      proof: places.proofOf(hub.session),
    }
    return { outward, inwardPort: served, judge: { allow, hub: asked } }
  }

  /** A sandbox with an empty list still asks the policy about each host. */
  function allowsHosts(): boolean {
    return typeof sandbox.network === 'object'
  }

  function wrap(
    program: SandboxedProgram,
    folder: string,
    { forwards, shown }: { readonly forwards: ForwardsSpec; readonly shown: readonly string[] },
  ): SandboxedProgram {
    const { tools, limits, socat } = options
    const inner = { ...program, env: { ...program.env, ...environmentInside() } }
    const inside = insideOf(forwards)
    const isForwarded = hasOwnNetwork && (inside.outward.length > 0 || inside.inward !== undefined)
    if (isForwarded && socat === undefined) throw new HubError('unavailable', socatMissing)
    const more: Mount[] = [
      { is: 'read', path: socketsInside, source: folder },
      ...shown.map((path): Mount => ({ is: 'read', path, source: path })),
    ]
    if (forwards.inwardPort !== undefined) {
      more.push({ is: 'write', path: inwardInside, source: join(folder, inwardFolder) })
    }
    assertShown(program.cwd, [...mounts, ...more])
    const arranged = arrange([...mounts, ...more])
    const first = [
      ...checkLines(
        arranged.filter((mount) => checked.includes(mount)),
        idOf,
      ),
      ...(isForwarded ? forwardLines(inside, socat!) : []),
    ]
    return bubblewrap(withScript(inner, first), {
      tools,
      limits,
      mounts: arranged,
      hasOwnNetwork,
      nested: sandbox.nested,
      isRoot: isRoot(),
    })
  }

  function insideOf({ outward, inwardPort }: ForwardsSpec) {
    const portOf = (forward: OutwardForward) => {
      if (forward.to === 'port') return forward.port
      if (forward.to === 'proxy') return proxyPort
      return forward.name === hubName ? places.port : undefined
    }
    return {
      outward: outward.flatMap((forward) => {
        const port = portOf(forward)
        return port === undefined ? [] : [{ port, socket: join(socketsInside, forward.name) }]
      }),
      inward: inwardPort === undefined ? undefined : { port: inwardPort, socket: join(inwardInside, inwardSocket) },
    }
  }

  function environmentInside(): Readonly<Record<string, string>> {
    const proxy = `http://127.0.0.1:${proxyPort}`
    const direct = 'localhost,127.0.0.1,::1'
    return {
      ...(hub && { SIGNALBOX_HUB_SOCKET: join(socketsInside, hubName) }),
      ...(hub?.mcpSocket !== undefined && { SIGNALBOX_MCP_SOCKET: join(socketsInside, mcpName) }),
      ...(allowsHosts() && {
        HTTP_PROXY: proxy,
        HTTPS_PROXY: proxy,
        NO_PROXY: direct,
        http_proxy: proxy,
        https_proxy: proxy,
        no_proxy: direct,
        NODE_USE_ENV_PROXY: '1',
        // ssh does not use the proxy by itself. A setting of the person stays.
        GIT_SSH_COMMAND:
          needs.program.env['GIT_SSH_COMMAND'] ??
          `ssh -o ProxyCommand='socat - PROXY:127.0.0.1:%h:%p,proxyport=${proxyPort}'`,
      }),
    }
  }
}

/** The ports of this machine that the list names. They are reached without the proxy, as programs expect. */
function loopbackPorts(allow: readonly string[]): readonly number[] {
  const named = allow.flatMap((host) => {
    const { name, port } = /^(?<name>.*?):(?<port>\d+)$/.exec(host)?.groups ?? {}
    return port !== undefined && name !== undefined && isLoopback(name.replaceAll(/[[\]]/g, '')) ? [Number(port)] : []
  })
  return [...new Set(named)]
}

function mountsOf({ sandbox, places, guarded, needs, agentPlaces }: ConfineOptions) {
  const { workspace, git, files, program } = needs
  const { env } = program
  const home = env['HOME'] ?? '/'
  const before = writtenBefore(agentPlaces, places)
  const source = workspace === undefined ? undefined : sourceOf(workspace, needs.workspaceFolder, before)
  const hidden = hiddenOf(places)
  if (workspace !== undefined && source !== undefined) {
    assertMayShow(workspace, source, { home, places, hidden })
  }
  const own = source === undefined ? [] : [source]
  const open = [...own, ...writablePaths(sandbox.write, { home, env, writable: [...before, ...own] })]
  const writable = [...before, ...open]
  const named = namedMounts(sandbox, { home, env, writable })
  const ofWorkspace = workspaceMounts(workspace, source, git)
  // The copy of a git directory is in the folder of the session.
  const copies = new Set(git.map((mount) => (mount.is === 'write' ? mount.source : undefined)))
  const ofOthers = ofWorkspace.filter((mount) => !('source' in mount && copies.has(mount.source)))
  assertShowNoSecret([...named, ...ofOthers], { home, hidden, places })
  const isOpen = (mount: Mount) => 'source' in mount && open.some((each) => isInside(mount.source, each))
  const installed = [
    ...packageMounts(places.package, { writable }),
    ...packageMounts(join(places.package, 'node_modules'), { writable }),
    ...programMounts(places.node, { searchPath: '', writable }),
    ...programMounts(program.file, { searchPath: env['PATH'] ?? '', writable }),
  ]
  const mounts: readonly Mount[] = [
    ...systemMounts({ needsNames: sandbox.network === 'all' }),
    ...[...new Set([home, actual(home)])].filter((path) => path !== '/').map((path): Mount => ({ is: 'empty', path })),
    ...temporaryMounts(env['TMPDIR'], workspace),
    ...installed.filter((mount) => !isOpen(mount) && secretIn(mount, { hidden, places }) === undefined),
    ...named,
    ...ofWorkspace,
    ...files.filter((path) => existsSync(path)).map((path): Mount => ({ is: 'read', path, source: path })),
  ]
  const shown = [...mounts, ...hide(hidden, mounts)]
  const all = [...shown, ...programGuards(shown, guarded, source)]
  return { mounts: all, writable: [...writable, ...all.flatMap((mount) => (mount.is === 'write' ? mount.source : []))] }
}

/** The folders in which agents may have left links. */
export function writtenBefore(agentPlaces: readonly string[], { workspaces }: HubPlaces): readonly string[] {
  return [...agentPlaces, actual(workspaces)]
}

function sourceOf(workspace: string, recorded: Folder | undefined, writable: readonly string[]): string {
  const { path, id } = workspaceFolder(workspace, writable)
  if (recorded !== undefined && recorded.id !== id) throw replaced(workspace)
  return path
}

/** A program may name its workspace by a path with links. */
function workspaceMounts(
  workspace: string | undefined,
  source: string | undefined,
  git: readonly Mount[],
): readonly Mount[] {
  if (workspace === undefined || source === undefined) return []
  const atSource: readonly Mount[] = [{ is: 'write', path: source, source }, ...git]
  if (workspace === source) return atSource
  const inside = atSource.filter(({ path }) => isAtOrInside(path, source))
  return [...atSource, ...inside.map((mount) => ({ ...mount, path: `${workspace}${mount.path.slice(source.length)}` }))]
}

/** The device and inode of each source, as they are now. */
function lookAtSources(mounts: readonly Mount[]): (source: string) => string {
  const ids = new Map<string, string>()
  for (const mount of mounts) {
    if (!('source' in mount)) continue
    const id = lookAt(mount.source)?.id
    if (id === undefined) {
      throw new HubError(
        'conflict',
        `"sandbox": ${mount.source} was exchanged during the start of the session. Look for a program that does that, and start the session again.`,
      )
    }
    ids.set(mount.source, id)
  }
  return (source) => ids.get(source)!
}

function writtenPlaces(mounts: readonly Mount[], hidden: readonly string[]): readonly WrittenPlace[] {
  return mounts.flatMap((mount) => {
    if (mount.is !== 'write') return []
    const { path, source } = mount
    const found = lookAt(source)
    if (!found?.isDirectory) return []
    return [{ path, folder: { path: source, id: found.id }, hidden: hidden.filter((each) => isInside(each, source)) }]
  })
}

/** Throws if no mount shows the directory. That of a connector may differ from the workspace. */
function assertShown(directory: string, mounts: readonly Mount[]): void {
  const isShown = mounts.some((mount) =>
    'source' in mount ? isAtOrInside(directory, mount.path) : directory === mount.path,
  )
  if (isShown || isOwnPlace(directory)) return
  throw new HubError(
    'invalid',
    `"sandbox" does not show ${directory}, in which the program is to run. Name it in "read" or in "write".`,
  )
}

/**
 * The target of the workspace. An agent that wrote around it may have replaced the directory, by a link or by another
 * directory.
 */
export function workspaceFolder(workspace: string, writable: readonly string[]): Folder {
  const path = trustedPath(workspace, writable)
  const found = path === undefined ? undefined : lookAt(path)
  if (path !== undefined && found?.isDirectory) return { path, id: found.id }
  throw replaced(workspace)
}

function replaced(workspace: string): HubError {
  return new HubError(
    'invalid',
    `"sandbox": the workspace ${workspace} is missing, or an agent may have replaced it. Look at it, and start a session in the directory that you want.`,
  )
}

/** Throws if a mount leads into a hidden directory, or leads by a link to the home or above. */
function assertShowNoSecret(
  mounts: readonly Mount[],
  { home, hidden, places }: { readonly home: string; readonly hidden: readonly string[]; readonly places: HubPlaces },
): void {
  for (const mount of mounts) {
    if (!('source' in mount)) continue
    const { path, source } = mount
    const secret = secretIn(mount, { hidden, places })
    const holdsHome =
      isAtOrInside(actual(home), source) && !isAtOrInside(home, path) && !isAtOrInside(actual(home), path)
    if (secret === undefined && !holdsHome) continue
    throw new HubError(
      'invalid',
      secret === undefined
        ? `"sandbox": ${path} leads to ${source}, which holds your home. Leave it out.`
        : `"sandbox": ${path} is in ${secret}, which no confined session may see. Leave it out.`,
    )
  }
}

/** The hidden directory that a mount would open. A workspace of the hub, and a socket of the person, may be named. */
function secretIn(
  mount: Mount,
  { hidden, places }: { readonly hidden: readonly string[]; readonly places: HubPlaces },
): string | undefined {
  if (!('source' in mount) || isInside(mount.source, actual(places.workspaces))) return undefined
  const { source } = mount
  const { runtimeDirectory: open } = places
  const isOpen = (path: string) => open !== undefined && (path === open || path === actual(open))
  return hidden.find((each) => source === each || (!isOpen(each) && isInside(source, each)))
}

/** Each session has temporary directories of its own: /tmp always, and here the one that TMPDIR names. */
function temporaryMounts(path: string | undefined, workspace = ''): readonly Mount[] {
  if (path === undefined || !isAbsolute(path) || isAtOrInside(workspace, path) || isAtOrInside(path, workspace))
    return []
  return [{ is: 'empty', path: path.replace(/(?<=.)\/+$/, '') }]
}

function hiddenOf({ dataDirectory, socketDirectories, runtimeDirectory }: HubPlaces): readonly string[] {
  const directories = [
    dataDirectory,
    ...socketDirectories,
    ...(runtimeDirectory === undefined ? [] : [runtimeDirectory]),
  ]
  return [...new Set(directories.flatMap((path) => [path, actual(path)]))].filter((path) => existsSync(path))
}

function assertMayShow(
  workspace: string,
  source: string,
  { home, places, hidden }: { home: string; places: HubPlaces; hidden: readonly string[] },
): void {
  if (isAtOrInside(actual(home), source)) {
    throw new HubError(
      'invalid',
      `"sandbox": the workspace ${workspace} holds your home, which a confined session must not see. Choose a directory inside it, or "sandbox": "off".`,
    )
  }
  // An agent could replace it as a whole, and programs that start below it look for their settings in the directories above.
  if (isInside(actual(places.dataDirectory), source)) {
    throw new HubError(
      'invalid',
      `"sandbox": the workspace ${workspace} holds the data directory of the hub, which a confined session must not see. Choose another workspace, or another SIGNALBOX_HOME.`,
    )
  }
  const isWorkspace = isInside(source, actual(places.workspaces))
  if (!isWorkspace && hidden.some((each) => isAtOrInside(source, each))) {
    throw new HubError(
      'invalid',
      `"sandbox": the workspace ${workspace} is in the data directory of the hub, which no confined session may see. Choose another.`,
    )
  }
}

function actual(path: string): string {
  return realpathOf(path) ?? path
}
