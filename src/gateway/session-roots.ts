/**
 * The roots that an upstream gets if no client can be asked: the workspace, and the roots that clients have reported. In
 * a confined session only the workspace.
 */
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dropOldest } from '../base/drop-oldest.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Call, Client } from '../mcp/mcp.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'

export interface Root {
  readonly uri: string
  readonly name?: string
}

export interface SessionRoots {
  list(target: UpstreamTarget): Promise<readonly Root[]>
  /** Whether the roots of its clients count. */
  mayNameRoots(this: void): Promise<boolean>
  /** Asks the client for its roots, once, while one of its calls runs. Returns whether the roots have changed. */
  learn(call: Call): Promise<boolean>
  /** The client reports that its roots have changed. */
  forget(client: Client): void
}

/** A client that does not answer must not delay its own calls for long. */
const learnMs = 2_000
const maxClients = 16
const maxRoots = 100

interface Place {
  readonly workspacePath: string
  readonly confined?: object | undefined
}

export function createSessionRoots(place: () => Promise<Place>): SessionRoots {
  const reported = new Map<Client, readonly Root[]>()
  const known = () => new Map([...reported.values()].flat().map((root) => [root.uri, root]))

  const mayNameRoots = async () => (await place()).confined === undefined

  return {
    list: async (target) => rootsFor(target, [rootOf((await place()).workspacePath), ...known().values()]),
    mayNameRoots,
    async learn({ client, ask, signal }) {
      if (client.era !== 'legacy' || !client.capabilities.roots || !ask || reported.has(client)) return false
      const before = JSON.stringify([...known()])
      reported.set(client, [])
      dropOldest(reported, maxClients)
      if (!(await mayNameRoots())) return false
      const limit = AbortSignal.any([signal, AbortSignal.timeout(learnMs)])
      const answer = await ask({ method: 'roots/list' }, limit).catch(() => ({}))
      reported.set(client, rootsIn(answer))
      return JSON.stringify([...known()]) !== before
    },
    forget: (client) => void reported.delete(client),
  }
}

/**
 * A program whose arguments name directories gets only those: servers such as server-filesystem replace the directories
 * they were started with by the roots of their client.
 */
export async function rootsFor({ reach }: UpstreamTarget, others: readonly Root[]): Promise<readonly Root[]> {
  const named = reach.transport === 'stdio' ? await namedDirectories(reach.args) : []
  if (named.length > 0) return named.map(rootOf)
  return [...new Map(others.map((root) => [root.uri, root])).values()]
}

/** Leaves out values of options, as in `uv --directory /opt/server run …`. */
async function namedDirectories(args: readonly string[]): Promise<readonly string[]> {
  const possible = args.filter((arg, index) => isAbsolute(arg) && !args[index - 1]?.startsWith('-'))
  const mayBe = await Promise.all(possible.map(mayBeDirectory))
  return possible.filter((_, index) => mayBe[index])
}

/** A path that cannot be inspected counts as a directory. Otherwise the program would get the workspace instead. */
async function mayBeDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
  }
}

export function rootOf(path: string): Root {
  return { uri: pathToFileURL(path).href }
}

function rootsIn(answer: object): readonly Root[] {
  const { roots } = answer as { readonly roots?: unknown }
  const isRoot = (root: unknown): root is Root => isRecord(root) && typeof root['uri'] === 'string'
  return Array.isArray(roots) ? roots.filter(isRoot).slice(0, maxRoots) : []
}
