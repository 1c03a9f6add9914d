/**
 * The git directory of a workspace. The agent may commit, but it may not change what git runs: the hub and the person use
 * git in the same repository, outside the sandbox.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import type { Mount } from './mounts.ts'

/** Protected, because settings can name programs. */
const config = 'config'
const worktreeConfig = 'config.worktree'
const worktrees = 'worktrees'
/**
 * The file that names the directory with the settings. git writes one for each worktree, and none for the repository
 * itself.
 */
const commonDirectory = 'commondir'

/**
 * Directories are mounted too, because a mount cannot be renamed. Otherwise the agent could put another directory in
 * its place. Throws if an agent may have prepared the directory.
 */
export function gitMounts(workspace: string): readonly Mount[] {
  const own = join(workspace, '.git')
  if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory()) {
    return [...repositoryMounts(own), ...allWorktrees(join(own, worktrees), hasWorktreeConfig(own))]
  }
  const worktree = worktreeOf(workspace)
  if (!worktree) return kindOf(own) === 'file' ? [read(own)] : []
  const { repository, directory } = worktree
  return [
    read(own),
    ...repositoryMounts(repository),
    read(join(repository, worktrees)),
    ...worktreeMounts(directory, hasWorktreeConfig(repository)),
  ]
}

function repositoryMounts(directory: string): readonly Mount[] {
  const at = (name: string) => join(directory, name)
  if (kindOf(at(commonDirectory)) !== undefined) throw prepared(at(commonDirectory))
  const hooks = at('hooks')
  return [
    write(directory),
    ...(kindOf(at(config)) === 'file' ? [read(at(config))] : []),
    ...settingsOfWorktree(directory, hasWorktreeConfig(directory)),
    kindOf(hooks) === undefined ? { is: 'empty', path: hooks } : read(hooks),
    // The repositories of submodules, with settings and hooks of their own.
    ...(kindOf(at('modules')) === undefined ? [] : [read(at('modules'))]),
  ]
}

function allWorktrees(directory: string, hasSettings: boolean): readonly Mount[] {
  if (kindOf(directory) === undefined) return []
  const entries = readdirSync(directory).map((name) => join(directory, name))
  return [
    write(directory),
    ...entries.flatMap((each) => (kindOf(each) === 'directory' ? worktreeMounts(each, hasSettings) : [])),
  ]
}

function worktreeMounts(directory: string, hasSettings: boolean): readonly Mount[] {
  const places = [commonDirectory, 'gitdir'].map((name) => join(directory, name))
  return [
    write(directory),
    ...places.filter((path) => kindOf(path) !== undefined).map(read),
    ...settingsOfWorktree(directory, hasSettings),
  ]
}

/** If git reads such settings, the agent must not create the file either. So an empty one is mounted. */
function settingsOfWorktree(directory: string, hasSettings: boolean): readonly Mount[] {
  const path = join(directory, worktreeConfig)
  if (kindOf(path) !== undefined) return [read(path)]
  return hasSettings ? [{ is: 'read', path, source: '/dev/null' }] : []
}

function hasWorktreeConfig(repository: string): boolean {
  return /worktreeconfig/i.test(textOf(join(repository, config)) ?? '')
}

/** `undefined`: it is missing. Throws if it is a link: bubblewrap would mount the place to which it leads. */
function kindOf(path: string): 'file' | 'directory' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  throw prepared(path)
}

function prepared(path: string): HubError {
  return new HubError(
    'invalid',
    `"sandbox": ${path} is not what git makes there, and an agent may have made it. Look at it, and remove it.`,
  )
}

export interface Worktree {
  /** The git directory that it shares with its repository. */
  readonly repository: string
  /** Its own directory in there. */
  readonly directory: string
}

/**
 * An agent may have written the file `.git` of its workspace and can name any directory in it. So the repository must
 * name this worktree, too. `undefined`: the workspace is not a worktree.
 */
export function worktreeOf(workspace: string): Worktree | undefined {
  const own = join(workspace, '.git')
  const named = /^gitdir: (.+)$/.exec(textOf(own) ?? '')?.[1]
  if (named === undefined) return undefined
  try {
    const directory = realpathSync(resolve(workspace, named))
    const back = textOf(join(directory, 'gitdir'))
    if (back === undefined || realpathSync(resolve(directory, back)) !== realpathSync(own)) return undefined
    return basename(dirname(directory)) === worktrees
      ? { repository: dirname(dirname(directory)), directory }
      : undefined
  } catch {
    return undefined
  }
}

function read(path: string): Mount {
  return { is: 'read', path, source: path }
}

function write(path: string): Mount {
  return { is: 'write', path, source: path }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
