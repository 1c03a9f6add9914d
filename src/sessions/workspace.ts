/** The directory a session works in: a given one, a git worktree of it, or a new one. The hub never deletes it. */
import { execFile } from 'node:child_process'
import { mkdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { HubError, messageOf } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'
import type { ProgramEnvironment } from '../config/config.ts'

export interface Workspace {
  readonly path: string
  /** Makes the directory or the worktree. Until then nothing is written. */
  make(): Promise<void>
}

export interface WorkspaceSpec {
  readonly name: string
  /** From the request or the template. */
  readonly workingDir: string | undefined
  readonly worktree: boolean
  /** The directory for workspaces that the hub makes. */
  readonly directory: string
  /** For git: its hooks are programs too. */
  readonly env: ProgramEnvironment
}

export async function planWorkspace({ name, workingDir, worktree, directory, env }: WorkspaceSpec): Promise<Workspace> {
  const own = join(directory, name)
  if (workingDir === undefined) {
    if (worktree) throw new HubError('invalid', '"worktree": name the repository in "working_dir".')
    return { path: own, make: () => makeDirectory(own) }
  }
  const path = expand(workingDir)
  if (!(await isDirectory(path))) {
    throw new HubError(
      'invalid',
      `"working_dir": ${path} is not a directory. Make it first, or leave out "working_dir" for a new one.`,
    )
  }
  if (!worktree) return { path, make: async () => {} }
  return { path: own, make: () => makeWorktree({ repository: path, path: own, branch: `signalbox/${name}`, env }) }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new HubError('unavailable', `The hub cannot make the workspace ${path}: ${systemReason(error)}.`, {
      cause: error,
    })
  }
}

interface Worktree {
  readonly repository: string
  readonly path: string
  readonly branch: string
  readonly env: ProgramEnvironment
}

/** An existing worktree or branch is used again, so no commit is lost. */
async function makeWorktree({ repository, path, branch, env }: Worktree): Promise<void> {
  const git = (directory: string, ...args: readonly string[]) => runGit(directory, args, env)
  const storeOf = async (directory: string) =>
    realpath(resolve(directory, await git(directory, 'rev-parse', '--git-common-dir')))
  const store = await storeOf(repository)
  if (await isDirectory(path)) {
    if ((await storeOf(path).catch(() => undefined)) === store) return
    throw new HubError(
      'conflict',
      `"worktree": ${path} already exists and is not a worktree of ${repository}. Choose another name, or move it away.`,
    )
  }
  await makeDirectory(dirname(path))
  const isThere = await git(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).then(
    () => true,
    () => false,
  )
  await git(repository, 'worktree', 'add', ...(isThere ? [path, branch] : ['-b', branch, path]))
}

const run = promisify(execFile)

async function runGit(directory: string, args: readonly string[], env: ProgramEnvironment): Promise<string> {
  try {
    const { stdout } = await run('git', ['-C', directory, ...args], { env })
    return stdout.trim()
  } catch (error) {
    throw new HubError('invalid', `"worktree": git cannot make one of ${directory}: ${whyNot(error)}`, { cause: error })
  }
}

function whyNot(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown }
  if (code === 'ENOENT') return 'git is not installed, or not on the hub’s PATH.'
  // Prefer the output of git: the error message starts with the whole command.
  return typeof stderr === 'string' && stderr !== '' ? stderr.trim() : messageOf(error)
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
