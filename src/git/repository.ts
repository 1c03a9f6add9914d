/**
 * The repository of a workspace, as git outside of every sandbox finds it. An agent may have written the file `.git` of a
 * worktree. So the repository that it names must name the worktree, too, from a place beside the worktree's own.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { folderAt } from '../base/open-inside.ts'
import { readInside } from '../base/read-inside.ts'
import type { Mount } from '../sandbox/sandbox.ts'

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
  const named = /^gitdir: (.+)$/.exec(textOf(workspace, '.git'))?.[1]
  if (named === undefined) return unusable(`${file} names no directory`)
  const own = realOf(resolve(workspace, named))
  if (own === undefined) return unusable(`${file} names a directory that does not exist`)
  if (own.startsWith(`${workspace}/`)) return unusable(`${file} names ${own}, which is in the workspace itself`)
  const shared = dirname(dirname(own))
  if (basename(dirname(own)) === worktrees && isGitDirectory(shared)) {
    const back = textOf(own, 'gitdir')
    if (realOf(resolve(own, back)) === realOf(file)) return { is: 'repository', shared, own }
  } else if (isSubmodule(own)) {
    const back = /^\s*worktree\s*=\s*(.+)$/m.exec(textOf(own, 'config'))?.[1] ?? ''
    if (realOf(resolve(own, back)) === workspace) return { is: 'repository', shared: own, own }
  } else {
    return unusable(`${file} names ${own}, where git puts no worktree and no submodule`)
  }
  return unusable(`${file} names ${own}, but that is the directory of another worktree`)
}

/** Below the `modules` of a git directory. */
function isSubmodule(directory: string): boolean {
  const parents = directory
    .split('/')
    .flatMap((name, index, names) => (name === 'modules' ? [names.slice(0, index).join('/')] : []))
  return isGitDirectory(directory) && parents.some(isGitDirectory)
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

/** Shows the git directory of a workspace, and lets nobody write it. Throws if an agent may have prepared it. */
export function readOnlyGit(workspace: string): readonly Mount[] {
  assertNotBare(workspace)
  const path = join(workspace, '.git')
  const found = gitOf(workspace)
  switch (found.is) {
    case 'repository':
      return [...new Set([path, found.shared])].map(readOnly)
    case 'none':
      return [{ is: 'empty', path }]
    case 'unusable':
      if (!lstatSync(path).isFile())
        throw new HubError('invalid', `"sandbox": ${found.reason} Look at it, and remove it.`)
      return [readOnly(path)]
  }
}

export function readOnly(path: string): Mount {
  return { is: 'read', path, source: path }
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

const mostBytes = 256 * 1024

/** Empty, if it is missing or no plain file. */
function textOf(folder: string, name: string): string {
  const found = readInside(folderAt(folder), name, mostBytes)
  return found.is === 'content' ? found.bytes.toString().trimEnd() : ''
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
