/** The reach of a program that the hub itself runs for a session or a repository: a few paths, and no home. */
import { lstatSync } from 'node:fs'
import { HubError } from '../base/hub-error.ts'
import type { Reach } from '../base/start-program.ts'
import type { SandboxTools } from './bubblewrap.ts'
import { isolationWords, processLimit } from './bubblewrap.ts'
import { lookAt } from './look-at.ts'
import { checkLines } from './mount-check.ts'
import { programMounts } from './installed.ts'
import type { Limits } from './limits.ts'
import type { Mount } from './mounts.ts'
import { arrange } from './mounts.ts'
import { isRoot, systemMounts } from './system.ts'

export interface ReachSpec {
  /** Paths that the program may read, without links in them. Missing ones are left out. */
  readonly read: readonly string[]
  /** Paths that it may write. */
  readonly write: readonly string[]
  /** Files in other places than in the machine: `at` shows what is at `path`. */
  readonly shown?: readonly { readonly path: string; readonly at: string }[]
  /** Programs to run, with what they load. An agent may have written them. */
  readonly programs?: readonly string[]
  /** The PATH on which such a program finds its interpreter. */
  readonly searchPath?: string
  readonly network?: 'none' | 'all'
}

export interface ReachMaker {
  readonly tools: SandboxTools
  readonly limits: Limits
}

export function reachOf(spec: ReachSpec, { tools, limits }: ReachMaker): Reach {
  const { read, write, shown = [], programs = [], searchPath = '', network = 'none' } = spec
  const seen = new Map<string, string>()
  const isThere = (path: string) => {
    const id = idOf(path)
    if (id !== undefined) seen.set(path, id)
    return id !== undefined
  }
  const named: readonly Mount[] = [
    ...read.filter(isThere).map((path): Mount => ({ is: 'read', path, source: path })),
    ...write.filter(isThere).map((path): Mount => ({ is: 'write', path, source: path })),
    ...shown.filter(({ path }) => isThere(path)).map(({ path, at }): Mount => ({ is: 'read', path: at, source: path })),
  ]
  const mounts: readonly Mount[] = [
    ...systemMounts({ needsNames: network === 'all' }),
    ...programs.flatMap((file) => programMounts(file, { searchPath, writable: [] })),
    ...named,
  ]
  const hasOwnNetwork = network === 'none'
  // A reach may be used for several starts, and a control group is for one.
  const own = { ...limits, makeGroups: () => [] }
  const sandbox = isolationWords({ tools, limits: own, mounts, hasOwnNetwork, nested: false, isRoot: isRoot() })
  const check = checkLines(
    arrange(named).filter(({ is }) => is !== 'link'),
    (source) => seen.get(source)!,
  )
  const script = ['_path=$PATH; PATH=/usr/bin:/bin', ...check, 'PATH=$_path; exec "$@"'].join('\n')
  return { sandbox, before: ['/bin/sh', '-c', script, 'sh', ...processLimit(tools, limits)] }
}

/** `undefined`: it is missing. Throws if a link is on the way: it would show another place than the one that was named. */
function idOf(path: string): string | undefined {
  const found = lookAt(path)
  if (found) return found.id
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  throw new HubError('invalid', `A link leads to ${path}, and the hub does not follow it.`)
}
