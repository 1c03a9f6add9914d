/** Runs git. Every failure is an error: an answer that could not be read is never an empty one. */
import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { runProgram } from '../base/start-program.ts'
import { whyGitFailed } from '../base/why-git-failed.ts'
import type { ProgramEnvironment } from '../config/config.ts'

export type Git = (directory: string, ...args: readonly string[]) => Promise<string>

/** The message of an error is what git says, or why git could not be run. */
export function createGit(env: ProgramEnvironment): Git {
  return async (directory, ...args) => {
    try {
      const words = ['-C', directory, '-c', 'core.fsmonitor=false', ...args]
      const program = { file: 'git', args: words, cwd: '/', env: withoutPlaces(env) }
      return (await runProgram(program, 'person', { maxBuffer: maxOutputBytes })).stdout.trimEnd()
    } catch (error) {
      throw new Error(whyGitFailed(error), { cause: error })
    }
  }
}

/**
 * The git directory that all worktrees of a repository share. An agent that may write to a git directory can make it
 * share another one, whose settings name programs. Throws if the shared directory is not where git puts it.
 */
export async function sharedDirectoryOf(git: Git, directory: string): Promise<string> {
  const found = await git(directory, 'rev-parse', '--absolute-git-dir', '--git-common-dir')
  const [own = '', shared = ''] = await Promise.all(found.split('\n').map((path) => realpath(resolve(directory, path))))
  if (shared === own || shared === dirname(dirname(own))) return shared
  throw new HubError(
    'conflict',
    `${own}/commondir names ${shared}, which git does not write there. An agent may have written it. Look at it, and correct it.`,
  )
}

export async function hasBranch(git: Git, directory: string, branch: string): Promise<boolean> {
  const found = await git(directory, 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`)
  return found.split('\n').includes(`refs/heads/${branch}`)
}

const maxOutputBytes = 64 * 1024 * 1024

/** A hub that was started by a hook of git has variables that name the repository of that hook. */
function withoutPlaces(env: ProgramEnvironment): ProgramEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !places.has(name)))
}

const places: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
])
