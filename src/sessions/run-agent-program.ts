/**
 * Runs the program of an agent for the hub, beside a session. The program loads plugins and settings that an agent may
 * have written, so it has the sandbox of that session, or less.
 */
import type { SandboxChoice } from '../api/sandbox.ts'
import type { Program, RunOptions } from '../base/start-program.ts'
import { runProgram } from '../base/start-program.ts'
import type { ConfineProgram } from '../sandbox/sandbox.ts'

export interface BesideSession {
  readonly session: string
  /** That of the session. */
  readonly sandbox: SandboxChoice
  readonly confine: ConfineProgram
}

export interface AgentProgramOptions extends RunOptions {
  readonly needsNetwork?: boolean
  /** Files of the hub that it reads. */
  readonly files?: readonly string[]
}

export async function runAgentProgram(
  program: Program,
  { session, sandbox, confine }: BesideSession,
  { needsNetwork = false, files, ...options }: AgentProgramOptions,
): Promise<string> {
  using confined =
    sandbox === 'off'
      ? undefined
      : await confine({
          sandbox: { ...sandbox, nested: false, network: needsNetwork ? sandbox.network : 'none' },
          program,
          workspace: program.cwd,
          files: files ?? [],
          session,
        })
  return (await runProgram(program, confined?.within ?? 'person', options)).stdout
}
