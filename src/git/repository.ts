/**
 * The repository of a workspace, as git outside of every sandbox finds it. An agent may have written the file `.git` of a
 * worktree. So the repository that it names must name the worktree, too, from a place beside the worktree's own.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { HubError } from '../base/hub-error.ts'

export interface Repository {
  /** The git directory with settings, branches and objects. */
  readonly shared: string
  /** The git directory with HEAD and index: the same, or one of its `worktrees`. */
  readonly own: string
}

export type WorkspaceGit =
  | ({ readonly is: 'repository' } & Repository)
  /** There is no `.git`, or an empty directory. */
  | { readonly is: 'none' }
  /** git outside finds nothing there, or something that an agent may have made. */
  | { readonly is: 'unusable'; readonly reason: string }

const worktrees = 'worktrees'

/** `workspace`: without links. */
export function gitOf(workspace: string): WorkspaceGit {
  const path = join(workspace, '.git')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return { is: 'none' }
  if (found.isDirectory()) return repositoryIn(path)
  if (found.isFile()) return worktreeAt(workspace, path)
  return unusable(`${path} is a link`)
}

function repositoryIn(directory: string): WorkspaceGit {
  if (!isGitDirectory(directory)) return { is: 'none' }
  if (lstatSync(join(directory, 'commondir'), { throwIfNoEntry: false })) {
    return unusable(`${directory} has a file "commondir", which git does not write there`)
  }
  return { is: 'repository', shared: directory, own: directory }
}

function worktreeAt(workspace: string, file: string): WorkspaceGit {
  const named = /^gitdir: (.+)$/.exec(readFileSync(file, 'utf8').trimEnd())?.[1]
  if (named === undefined) return unusable(`${file} names no directory`)
  const own = realOf(resolve(workspace, named))
  if (own === undefined) return unusable(`${file} names a directory that does not exist`)
  const shared = dirname(dirname(own))
  const isWorktree = basename(dirname(own)) === worktrees && isGitDirectory(shared)
  if (!isWorktree) return unusable(`${file} names ${own}, which is no worktree of a repository`)
  const back = readFileSync(join(own, 'gitdir'), 'utf8').trimEnd()
  const isNamedBack = realOf(resolve(own, back)) === realOf(file)
  if (!isNamedBack || own.startsWith(`${workspace}/`) || own === workspace) {
    return unusable(`${file} names ${own}, but that is the worktree of another directory`)
  }
  return { is: 'repository', shared, own }
}

/** As git decides: it has HEAD, objects and refs. None of them may be a link. */
export function isGitDirectory(directory: string): boolean {
  const kindOf = (name: string) => lstatSync(join(directory, name), { throwIfNoEntry: false })
  return (
    kindOf('HEAD')?.isFile() === true &&
    kindOf('objects')?.isDirectory() === true &&
    kindOf('refs')?.isDirectory() === true
  )
}

/** Throws if the workspace itself is a git directory, because its agent could write the settings of that. */
export function assertNotBare(workspace: string): void {
  if (!isGitDirectory(workspace)) return
  throw new HubError(
    'invalid',
    `"sandbox": ${workspace} is a bare git repository. Its agent could change the programs that your git runs there. Clone it, and use the clone.`,
  )
}

function unusable(reason: string): WorkspaceGit {
  return { is: 'unusable', reason: `${reason}. An agent may have made it.` }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
