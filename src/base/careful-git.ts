/**
 * Runs git in a folder that others may have prepared. The configuration of a repository can name programs for git to
 * run; the commands and settings here start none, and fetch nothing.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Reach } from './start-program.ts'
import { runProgram, startProgram, systemPath } from './start-program.ts'
import { whyGitFailed } from './why-git-failed.ts'

export interface Git {
  /** Returns git's output. The error's message is git's own, or why git could not be run. */
  (directory: string, ...args: readonly string[]): Promise<string>
  start(directory: string, ...args: readonly string[]): ChildProcessWithoutNullStreams
}

type Environment = Readonly<Record<string, string>>

/** A list of 200,000 paths has about 20 MB. */
const maxOutputBytes = 128 * 1024 * 1024
/** A file system that hangs must not hang the queue of all repositories. */
const timeLimitMs = 120_000

const safely = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.untrackedCache', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** `reach`: it shows the folders that git is run in, and their repositories. */
export function createGit(env: Environment, reach: Reach, signal?: AbortSignal): Git {
  const programOf = (directory: string, args: readonly string[]) => {
    // A sandbox shows the directories of the system, and not each one of the person's PATH.
    const PATH = reach === 'person' ? (env['PATH'] ?? systemPath) : systemPath
    return {
      file: 'git',
      args: [...safely, '-C', directory, ...args],
      cwd: '/',
      env: { ...safeEnvironment(env), PATH },
    }
  }
  const git = async (directory: string, ...args: readonly string[]) => {
    try {
      const limits = { maxBuffer: maxOutputBytes, timeout: timeLimitMs, signal }
      return (await runProgram(programOf(directory, args), reach, limits)).stdout
    } catch (error) {
      signal?.throwIfAborted()
      throw new Error(whyGitFailed(error), { cause: error })
    }
  }
  return Object.assign(git, {
    start: (directory: string, ...args: readonly string[]) =>
      startProgram(programOf(directory, args), reach, { signal }),
  })
}

function safeEnvironment(env: Environment): Record<string, string> {
  // Variables such as GIT_DIR name another repository, others name programs.
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || allowed.has(name))
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // An incomplete clone would otherwise fetch the rest, with a program that its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  }
}

/** The variables that name people's own git settings. */
const allowed: ReadonlySet<string> = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])
