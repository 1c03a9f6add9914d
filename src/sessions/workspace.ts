/** The directory a session works in: the one that was named, a git worktree of it, or one of its own. Never deleted. */
import { execFile } from 'node:child_process'
import { mkdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'

export interface Workspace {
  readonly path: string
  /** Nothing was made before. */
  make(): Promise<void>
}

export interface WorkspaceSpec {
  readonly name: string
  /** Asked for, or from the template. */
  readonly workingDir: string | undefined
  readonly worktree: boolean
  /** Where workspaces of their own are made. */
  readonly directory: string
  /** For git, whose hooks are programs like any other. */
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
      `"working_dir": ${path} is no directory. Make it first, or leave "working_dir" out for a new one.`,
    )
  }
  if (!worktree) return { path, make: async () => {} }
  return { path: own, make: () => makeWorktree({ repository: path, path: own, branch: `signalbox/${name}`, env }) }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new HubError('unavailable', `The workspace ${path} cannot be made: ${messageOf(error)}.`, { cause: error })
  }
}

interface Worktree {
  readonly repository: string
  readonly path: string
  readonly branch: string
  readonly env: ProgramEnvironment
}

/** One that is there already is gone on with, and so is its branch: what was committed is never lost. */
async function makeWorktree({ repository, path, branch, env }: Worktree): Promise<void> {
  const git = (directory: string, ...args: readonly string[]) => runGit(directory, args, env)
  const storeOf = async (directory: string) =>
    realpath(resolve(directory, await git(directory, 'rev-parse', '--git-common-dir')))
  const store = await storeOf(repository)
  if (await isDirectory(path)) {
    if ((await storeOf(path).catch(() => undefined)) === store) return
    throw new HubError(
      'conflict',
      `"worktree": ${path} is there already, and is none of ${repository}. Take another name, or move it away.`,
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
    throw new HubError('invalid', `"worktree": there can be none of ${directory}: ${whyNot(error)}`, { cause: error })
  }
}

function whyNot(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown }
  if (code === 'ENOENT') return 'git is not installed, or not on the hub’s PATH.'
  // What git itself says; the message begins with the whole command.
  return typeof stderr === 'string' && stderr !== '' ? stderr.trim() : messageOf(error)
}

function expand(path: string): string {
  const whole = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  if (isAbsolute(whole)) return resolve(whole)
  throw new HubError(
    'invalid',
    `"working_dir": ${path} is not an absolute path; the hub has no directory it starts from.`,
  )
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
