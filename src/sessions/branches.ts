/**
 * The git branch of a workspace, from the file HEAD of its repository. A list of sessions must not wait for files, so
 * it gets the branch that was read last. Each call starts the next read, and a change is reported.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export interface Branches {
  /** The branch that was read last. `isLasting`: the session is over, so the branch is read only once. */
  of(workspace: string, place: { readonly isLasting: boolean; onChange(): void }): string | undefined
}

/** A branch that was read this recently is not read again. */
const freshMs = 3_000
const mostBytes = 1_024

interface Known {
  branch: string | undefined
  readAt: number
  isReading: boolean
}

export function createBranches(): Branches {
  const known = new Map<string, Known>()

  async function refresh(workspace: string, entry: Known, onChange: () => void): Promise<void> {
    entry.isReading = true
    const branch = await readBranch(workspace)
    entry.isReading = false
    entry.readAt = performance.now()
    if (branch === entry.branch) return
    entry.branch = branch
    onChange()
  }

  return {
    of(workspace, { isLasting, onChange }) {
      const before = known.get(workspace)
      const entry = before ?? { branch: undefined, readAt: 0, isReading: false }
      known.set(workspace, entry)
      const isFresh = before !== undefined && (isLasting || performance.now() - entry.readAt < freshMs)
      if (!isFresh && !entry.isReading) void refresh(workspace, entry, onChange)
      return entry.branch
    },
  }
}

/** `undefined`: it is not in a repository, or on no branch. */
export async function readBranch(workspace: string): Promise<string | undefined> {
  for (let folder = resolve(workspace); ; folder = dirname(folder)) {
    const head = (await readStart(join(folder, '.git', 'HEAD'))) ?? (await readLinkedHead(folder))
    if (head !== undefined) return /^ref: refs\/heads\/(.+)\n?$/.exec(head)?.[1]
    if (folder === dirname(folder)) return undefined
  }
}

/** In a worktree, `.git` is a file that names the folder. */
async function readLinkedHead(folder: string): Promise<string | undefined> {
  const place = /^gitdir: (.+)\n?$/.exec((await readStart(join(folder, '.git'))) ?? '')?.[1]
  if (place === undefined) return undefined
  return readStart(join(isAbsolute(place) ? place : join(folder, place), 'HEAD'))
}

/** `undefined`: it is not a file that can be read. An agent may have put a pipe there, so the open does not wait. */
async function readStart(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return undefined
    const { bytesRead, buffer } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return undefined
  }
}
