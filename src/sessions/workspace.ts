/** The directory a session works in: the one that was named, a git worktree of it, or one of its own. Never deleted. */
import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { HubError, messageOf } from '../base/hub-error.ts'

const run = promisify(execFile)

export interface WorkspaceSpec {
  readonly name: string
  /** Asked for, or from the template. */
  readonly workingDir: string | undefined
  readonly worktree: boolean
  /** Where workspaces of their own are made. */
  readonly directory: string
}

export async function openWorkspace({ name, workingDir, worktree, directory }: WorkspaceSpec): Promise<string> {
  const own = join(directory, name)
  if (workingDir === undefined) {
    if (worktree) throw new HubError('invalid', '"worktree": name the repository in "working_dir".')
    await mkdir(own, { recursive: true, mode: 0o700 })
    return own
  }
  const path = expand(workingDir)
  if (!(await isDirectory(path))) {
    throw new HubError(
      'invalid',
      `"working_dir": ${path} is no directory. Make it first, or leave "working_dir" out for a new one.`,
    )
  }
  return worktree ? addWorktree(path, own, name) : path
}

/** One that is there already is gone on with: nothing in it is changed. */
async function addWorktree(repository: string, path: string, name: string): Promise<string> {
  if (await isDirectory(path)) return path
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  try {
    await run('git', ['-C', repository, 'worktree', 'add', '-B', `signalbox/${name}`, path])
    return path
  } catch (error) {
    throw new HubError('invalid', `"worktree": git could not add one of ${repository}: ${messageOf(error).trim()}`, {
      cause: error,
    })
  }
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
