/**
 * Whether a worktree could be removed without a loss. It can if git says that nothing in it is changed or untracked,
 * and that every commit of it is on another branch, tag or remote branch. If the hub cannot find that out, the worktree
 * stays.
 */
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { Git } from './git.ts'
import { createGit, hasBranch, sharedDirectoryOf } from './git.ts'
import type { WorktreeRecord } from './worktree-store.ts'

export type WorktreeState =
  | { readonly is: 'clean' }
  /** A person has removed it. */
  | { readonly is: 'gone' }
  | { readonly is: 'needed'; readonly why: string }

type Inspected = Pick<WorktreeRecord, 'path' | 'repository' | 'branch'>

export async function inspectWorktree(worktree: Inspected, env: ProgramEnvironment): Promise<WorktreeState> {
  try {
    return await inspect(worktree, createCarefulGit(env))
  } catch (error) {
    return { is: 'needed', why: `The hub cannot tell what is in it: ${messageOf(error)}` }
  }
}

/** Removes a clean worktree and its branch. git refuses a worktree that is not clean. Returns why the branch stays. */
export async function removeWorktree(
  { path, repository, branch }: Inspected,
  env: ProgramEnvironment,
): Promise<string | undefined> {
  const git = createCarefulGit(env)
  await git(repository, 'worktree', 'remove', path)
  try {
    // git refuses a branch that is checked out somewhere else.
    if (branch !== undefined && (await hasBranch(git, repository, branch)))
      await git(repository, 'branch', '-D', branch)
    return undefined
  } catch (error) {
    return `The branch ${branch} stays: ${messageOf(error)}`
  }
}

async function inspect({ path, repository, branch }: Inspected, git: Git): Promise<WorktreeState> {
  if (await isGone(path)) return { is: 'gone' }
  const top = await realpath(await git(path, 'rev-parse', '--show-toplevel'))
  if (top !== (await realpath(path)) || (await sharedDirectoryOf(git, path)) !== repository) {
    return { is: 'needed', why: 'Another directory has taken its place.' }
  }
  if (await hasSubmodules(path, git)) {
    return { is: 'needed', why: 'It has submodules. Remove it with git after you have looked at them.' }
  }
  const changes = await git(path, 'status', '--porcelain', '--untracked-files=normal')
  if (changes !== '') return { is: 'needed', why: `It has uncommitted or untracked work: ${listed(changes)}.` }
  const isBranchOurs = branch !== undefined && (await hasBranch(git, path, branch))
  const own = isBranchOurs ? [`refs/heads/${branch}`] : []
  const others = [...(isBranchOurs ? [`--exclude=${branch}`] : []), '--branches', '--tags', '--remotes']
  // Not "--all": that includes the HEAD of this worktree.
  const commit = await git(path, 'rev-list', '--max-count=1', 'HEAD', ...own, '--not', ...others)
  if (commit !== '')
    return { is: 'needed', why: `It has commits that are on no other branch, such as ${short(commit)}.` }
  return { is: 'clean' }
}

/**
 * git refuses to remove a worktree with submodules. To look into one, it would follow the settings there, which an agent
 * can write.
 */
async function hasSubmodules(path: string, git: Git): Promise<boolean> {
  return /^160000 /m.test(await git(path, 'ls-files', '--stage'))
}

/** Does not trust the settings of the repository: an agent can change them. */
function createCarefulGit(env: ProgramEnvironment): Git {
  const git = createGit({ ...env, GIT_OPTIONAL_LOCKS: '0' })
  const settings = ['status.showUntrackedFiles=all', 'core.fsmonitor=false', 'core.hooksPath=/dev/null']
  const flags = settings.flatMap((setting) => ['-c', setting])
  return (directory, ...args) => git(directory, ...flags, ...args)
}

/** If the directory around it cannot be read either, the worktree may still be there. */
async function isGone(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    await readdir(dirname(path))
    return true
  }
}

const shown = 3

function listed(changes: string): string {
  const files = changes.split('\n').map((line) => line.slice(3))
  const more = files.length - shown
  return `${files.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function short(commit: string): string {
  return commit.slice(0, 12)
}
