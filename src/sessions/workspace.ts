/** The directory a session works in: a given one, a git worktree of it, or a new one. */
import { realpathSync } from 'node:fs'
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { HubError, messageOf } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'
import type { ScriptRunner } from '../git/git.ts'
import { gitOf, makeWorktree, repositoryAround } from '../git/git.ts'

export interface Workspace {
  readonly path: string
  /** Makes the directory or the worktree. Until then nothing is written. */
  make(): Promise<MadeWorkspace>
}

export interface MadeWorkspace {
  /** Says that the session continues in an old directory. */
  readonly note?: string
  /** The worktree that was created now. */
  readonly worktree?: NewWorktree
}

export interface NewWorktree {
  readonly repository: string
  readonly branch: { readonly name: string; readonly isNew: boolean }
}

export interface WorkspaceSpec {
  readonly name: string
  /** From the request or the template. */
  readonly workingDir: string | undefined
  readonly worktree: boolean
  /** The directory for workspaces that the hub makes. */
  readonly directory: string
  readonly run: ScriptRunner
}

export async function planWorkspace({ name, workingDir, worktree, directory, run }: WorkspaceSpec): Promise<Workspace> {
  const own = join(directory, name)
  if (workingDir === undefined) {
    if (worktree) throw new HubError('invalid', '"worktree": name the repository in "working_dir".')
    return { path: own, make: () => makeOwn(own) }
  }
  const path = expand(workingDir)
  if (!(await isDirectory(path))) {
    throw new HubError(
      'invalid',
      `"working_dir": ${path} is not a directory. Make it first, or leave out "working_dir" for a new one.`,
    )
  }
  if (!worktree) return { path, make: async () => ({}) }
  return { path: own, make: () => addWorktree({ repository: path, path: own, branch: `signalbox/${name}`, run }) }
}

async function makeOwn(path: string): Promise<MadeWorkspace> {
  const isNew = await makeDirectory(path)
  // An empty directory is as good as new. One that cannot be read may hold something.
  const isEmpty = isNew || (await readdir(path).catch(() => ['?'])).length === 0
  return isEmpty ? {} : { note: `It continues in the existing directory ${path}.` }
}

/** False if the directory was there before. */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    return (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined
  } catch (error) {
    throw new HubError('unavailable', `The hub cannot make the workspace ${path}: ${systemReason(error)}.`, {
      cause: error,
    })
  }
}

interface WorktreeSpec {
  /** The repository, or a folder in it. */
  readonly repository: string
  readonly path: string
  readonly branch: string
  readonly run: ScriptRunner
}

/** An existing worktree or branch is used again, so no commit is lost. */
async function addWorktree({ repository: folder, path, branch, run }: WorktreeSpec): Promise<MadeWorkspace> {
  const repository = repositoryAround(realpathSync(folder))
  if (repository.is !== 'repository') {
    const why = repository.is === 'none' ? `${folder} is not a git repository.` : repository.reason
    throw new HubError('invalid', `"worktree": ${why}`)
  }
  if (await isDirectory(path)) {
    const found = gitOf(realpathSync(path))
    if (found.is === 'repository' && found.shared === repository.shared) {
      return { note: `It continues in the existing worktree ${path}.` }
    }
    throw new HubError(
      'conflict',
      `"worktree": ${path} already exists and is not a worktree of ${folder}. Choose another name, or move it away.`,
    )
  }
  await makeDirectory(path)
  try {
    const { isBranchNew } = await makeWorktree({ repository, path: realpathSync(path), branch }, run)
    return {
      worktree: { repository: repository.shared, branch: { name: branch, isNew: isBranchNew } },
      ...(!isBranchNew && { note: `It continues with the existing branch ${branch}.` }),
    }
  } catch (error) {
    // Only an empty directory is removed.
    await rmdir(path).catch(() => {})
    throw new HubError('invalid', `"worktree": git cannot make one of ${folder}: ${messageOf(error)}`, { cause: error })
  }
}

function expand(path: string): string {
  const whole = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  if (isAbsolute(whole)) return resolve(whole)
  throw new HubError(
    'invalid',
    `"working_dir": ${path} is not an absolute path. The hub cannot resolve relative paths.`,
  )
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
