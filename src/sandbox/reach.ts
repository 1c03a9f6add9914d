/** The reach of a program that the hub itself runs for a session or a repository: a few paths, and no home. */
import { lstatSync } from 'node:fs'
import { HubError } from '../base/hub-error.ts'
import type { Reach } from '../base/start-program.ts'
import type { SandboxTools } from './bubblewrap.ts'
import { isolationWords } from './bubblewrap.ts'
import { programMounts } from './installed.ts'
import type { Mount } from './mounts.ts'
import { isRoot, systemMounts } from './system.ts'

export interface ReachSpec {
  /** Paths that the program may read, without links. Missing ones are left out. */
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

export function reachOf(spec: ReachSpec, tools: SandboxTools): Reach {
  const { read, write, shown = [], programs = [], searchPath = '', network = 'none' } = spec
  const mounts: readonly Mount[] = [
    ...systemMounts({ needsNames: network === 'all' }),
    ...programs.flatMap((file) => programMounts(file, { searchPath, writable: [] })),
    ...read.filter(isThere).map((path): Mount => ({ is: 'read', path, source: path })),
    ...write.map((path): Mount => ({ is: 'write', path, source: path })),
    ...shown.filter(({ path }) => isThere(path)).map(({ path, at }): Mount => ({ is: 'read', path: at, source: path })),
  ]
  const words = isolationWords({ tools, mounts, hasOwnNetwork: network === 'none', nested: false, isRoot: isRoot() })
  return { sandbox: words }
}

/** A link would show another place than the one that was named. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new HubError('invalid', `${path} is a link, and the hub does not follow it.`)
  return found !== undefined
}
