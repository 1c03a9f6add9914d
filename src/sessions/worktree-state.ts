/**
 * Whether a worktree could be removed without a loss. It can if git says that nothing in it is changed or untracked,
 * and that every commit of it is on another branch, tag or remote branch. If the hub cannot find that out, the worktree
 * stays.
 */
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../base/hub-error.ts'
import type { ReadingGit, ScriptRunner } from '../git/git.ts'
import { createReadingGit, gitOf } from '../git/git.ts'
import type { WorktreeRecord } from './worktree-store.ts'

export type WorktreeState =
  | { readonly is: 'clean' }
  /** A person has removed it. */
  | { readonly is: 'gone' }
  | { readonly is: 'needed'; readonly why: string }

type Inspected = Pick<WorktreeRecord, 'path' | 'repository' | 'branch'>

export async function inspectWorktree(worktree: Inspected, run: ScriptRunner): Promise<WorktreeState> {
  try {
    return await inspect(worktree, createReadingGit(run))
  } catch (error) {
    return { is: 'needed', why: `The hub cannot tell what is in it: ${messageOf(error)}` }
  }
}

async function inspect({ path, repository, branch }: Inspected, git: ReadingGit): Promise<WorktreeState> {
  if (await isGone(path)) return { is: 'gone' }
  const found = gitOf(await realpath(path))
  if (found.is === 'unusable') return { is: 'needed', why: `The hub cannot tell what is in it: ${found.reason}` }
  if (found.is === 'none' || found.shared !== repository) {
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
async function hasSubmodules(path: string, git: ReadingGit): Promise<boolean> {
  return /^160000 /m.test(await git(path, 'ls-files', '--stage'))
}

async function hasBranch(git: ReadingGit, directory: string, branch: string): Promise<boolean> {
  const found = await git(directory, 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`)
  return found.split('\n').includes(`refs/heads/${branch}`)
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
