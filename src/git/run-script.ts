/** Runs shell scripts with git in a sandbox that shows only what a script needs. */
import { runProgram, systemPath } from '../base/start-program.ts'
import { whyGitFailed } from '../base/why-git-failed.ts'
import type { ReachSpec, Sandboxes } from '../sandbox/sandbox.ts'

export interface ScriptSpec extends ReachSpec {
  readonly variables?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Also runs without a sandbox, where none can be made. Only for scripts that then start no program of a repository. */
  readonly alsoOpen?: boolean
}

/** Returns the output, in latin1: paths of git are bytes. The error's message is git's own. */
export type ScriptRunner = (script: string, spec: ScriptSpec) => Promise<string>

const timeLimitMs = 120_000
const maxOutputBytes = 32 * 1024 * 1024

export function createScriptRunner(sandboxes: Pick<Sandboxes, 'reach'>): ScriptRunner {
  return async (script, { variables, args = [], alsoOpen = false, ...reached }) => {
    const reach = await sandboxes.reach(reached)
    if (reach === undefined && !alsoOpen) throw new Error('No sandbox can be made here.')
    const env = {
      PATH: systemPath,
      HOME: '/tmp',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      isolated: reach === undefined ? '' : 'yes',
      ...variables,
    }
    const program = { file: '/bin/sh', args: ['-c', script, 'sh', ...args], cwd: '/tmp', env }
    const limits = { encoding: 'latin1', timeout: timeLimitMs, maxBuffer: maxOutputBytes } as const
    try {
      return (await runProgram(program, reach ?? 'person', limits)).stdout
    } catch (error) {
      throw new Error(utf8(whyGitFailed(error)), { cause: error })
    }
  }
}

/** What was read as latin1, byte by byte. */
export function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}
