/**
 * The git directory of a workspace. The agent may commit, but it may not change what git runs: the hub and the person use
 * git in the same repository, outside the sandbox.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Mount } from './mounts.ts'

/** Settings name programs, and hooks are programs. */
const settings = ['config', 'config.worktree']
const hooks = 'hooks'

/**
 * The directory itself is a mount, too, because a mount cannot be renamed: otherwise the agent could put another in its
 * place.
 */
export function gitMounts(workspace: string): readonly Mount[] {
  const own = join(workspace, '.git')
  const stats = lstatSync(own, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return guarded(own)
  const shared = sharedGitDirectory(workspace)
  const link: readonly Mount[] = stats?.isFile() ? [{ is: 'read', path: own, source: own }] : []
  return shared === undefined ? link : [...link, ...guarded(shared)]
}

function guarded(directory: string): readonly Mount[] {
  const read = (path: string): Mount => ({ is: 'read', path, source: path })
  const hooksPath = join(directory, hooks)
  return [
    { is: 'write', path: directory, source: directory },
    ...settings
      .map((name) => join(directory, name))
      .filter((path) => existsSync(path))
      .map(read),
    existsSync(hooksPath) ? read(hooksPath) : { is: 'empty', path: hooksPath },
  ]
}

/**
 * The git directory that a worktree shares with its repository. An agent may have written the file `.git` of its
 * workspace and can name any directory in it. So the repository must name this worktree, too. `undefined`: the workspace
 * is not a worktree.
 */
export function sharedGitDirectory(workspace: string): string | undefined {
  const own = join(workspace, '.git')
  const named = /^gitdir: (.+)$/.exec(read(own) ?? '')?.[1]
  if (named === undefined) return undefined
  try {
    const directory = realpathSync(resolve(workspace, named))
    const back = read(join(directory, 'gitdir'))
    if (back === undefined || realpathSync(resolve(directory, back)) !== realpathSync(own)) return undefined
    return basename(dirname(directory)) === 'worktrees' ? dirname(dirname(directory)) : undefined
  } catch {
    return undefined
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
