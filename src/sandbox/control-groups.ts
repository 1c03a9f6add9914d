/**
 * Control groups (cgroups v1 and v2) that limit one sandbox each. They lie beside or below the group of the hub, where
 * its user may make groups: as root, or where systemd has given the user a part of the tree.
 */
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Limited } from '../api/sandbox.ts'

export type Amounts = Readonly<Record<Limited, number>>

export interface ControlGroups {
  readonly limited: readonly Limited[]
  /** Makes the groups of one sandbox. Returns the files that take the id of its first process. Throws if it cannot. */
  make(): readonly string[]
}

const prefix = 'signalbox-sandbox-'

/** A group that is empty for so long has been left by its sandbox: no holder takes longer than a minute to start. */
const leftAfterMs = 2 * 60_000

const names = {
  processes: { controller: 'pids', v1: 'pids.max', v2: 'pids.max' },
  memory: { controller: 'memory', v1: 'memory.limit_in_bytes', v2: 'memory.max' },
} as const
const all = Object.keys(names) as Limited[]

/** A group in which the hub may make others, and the files there that limit them. */
interface Parent {
  readonly directory: string
  readonly files: readonly { readonly limited: Limited; readonly name: string }[]
}

/** `processFiles`: another directory than `/proc/self`, for tests. */
export function openControlGroups(amounts: Amounts, processFiles = '/proc/self'): ControlGroups {
  const parents: Parent[] = []
  const limited = () => parents.flatMap(({ files }) => files.map((each) => each.limited))
  for (const parent of findParents(processFiles)) {
    // A tree may be mounted several times.
    const isNew = !parent.files.some((file) => limited().includes(file.limited))
    if (isNew && canMake(parent, amounts)) parents.push(parent)
  }
  return {
    limited: limited(),
    make() {
      for (const { directory } of parents) removeLeft(directory)
      return parents.map((parent) => join(makeGroup(parent, amounts), 'cgroup.procs'))
    },
  }
}

function canMake(parent: Parent, amounts: Amounts): boolean {
  try {
    // A process is moved only by a user who may write here as well.
    accessSync(join(parent.directory, 'cgroup.procs'), constants.W_OK)
    rmdirSync(makeGroup(parent, amounts))
    return true
  } catch {
    return false // the session then says that it is not limited
  }
}

function makeGroup({ directory, files }: Parent, amounts: Amounts): string {
  const group = join(directory, `${prefix}${randomBytes(8).toString('hex')}`)
  mkdirSync(group)
  try {
    for (const { limited, name } of files) writeFileSync(join(group, name), String(amounts[limited]), { flag: 'r+' })
    return group
  } catch (error) {
    rmdirSync(group)
    throw error
  }
}

/** The groups of sandboxes that have ended. */
function removeLeft(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix)) continue
    const group = join(directory, name)
    try {
      if (statSync(group).mtimeMs < Date.now() - leftAfterMs) rmdirSync(group)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Its sandbox runs, or another hub has removed it.
      if (code !== 'EBUSY' && code !== 'ENOENT') throw error
    }
  }
}

/** Exported for its test: few machines have both versions. */
export function findParents(processFiles: string): readonly Parent[] {
  const own = linesOf(join(processFiles, 'cgroup')).map(
    (line) => /^\d+:(?<kinds>[^:]*):(?<path>.*)$/.exec(line)?.groups,
  )
  const pathOf = (kind: string) => own.find((each) => each?.['kinds']!.split(',').includes(kind))?.['path']
  return linesOf(join(processFiles, 'mountinfo')).flatMap((line): readonly Parent[] => {
    const [root, point] = line.split(' ').slice(3)
    const [type, , options = ''] = line.split(' - ')[1]?.split(' ') ?? []
    if (root === undefined || point === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return []
    if (type === 'cgroup2') return parentOfV2(point, directoryOf(pathOf(''), { root, point }))
    const limited = all.filter((each) => options.split(',').includes(names[each].controller))
    const directory = limited[0] && directoryOf(pathOf(names[limited[0]].controller), { root, point })
    const files = limited.map((each) => ({ limited: each, name: names[each].v1 }))
    return directory === undefined ? [] : [{ directory, files }]
  })
}

/** The group of the hub. `undefined`: the mount does not show it. */
function directoryOf(
  path: string | undefined,
  { root, point }: { readonly root: string; readonly point: string },
): string | undefined {
  // What lies outside the cgroup namespace begins with two dots.
  if (path === undefined || [path, root].some((each) => each.startsWith('/..'))) return undefined
  const inMount = relative(root, path)
  return inMount === '..' || inMount.startsWith('../') ? undefined : join(point, inMount)
}

/**
 * The nearest group that limits the groups in it. One that has processes, like that of the hub, cannot. A sandbox does
 * not leave a group whose memory somebody has limited.
 */
function parentOfV2(point: string, own: string | undefined): readonly Parent[] {
  for (let directory = own; directory !== undefined; directory = directory === point ? undefined : dirname(directory)) {
    const [given = ''] = linesOf(join(directory, 'cgroup.subtree_control'))
    const files = all
      .filter((limited) => given.split(' ').includes(names[limited].controller))
      .map((limited) => ({ limited, name: names[limited].v2 }))
    if (files.length > 0) return [{ directory, files }]
    const [memory = 'max'] = linesOf(join(directory, names.memory.v2))
    if (memory !== 'max') return []
  }
  return []
}

/** Empty if this user may not see the file. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
