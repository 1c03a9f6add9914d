/**
 * The one place from which this process starts programs. Each start names its reach: what the program may see, write and
 * contact. A program that runs in, or from, a place that an agent can write gets the reach of the session it serves, or less.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { SandboxedProgram } from './confinement.ts'

export type Program = SandboxedProgram

/** What a program may reach. */
export type Reach =
  /** All that the person may. For programs that no agent can write, and that read nothing which an agent can write. */
  | 'person'
  /**
   * The command line of a sandbox. It ends where the directory of the program follows. `limit`: the words before the
   * program.
   */
  | { readonly sandbox: readonly string[]; readonly limit: readonly string[] }

export interface StartOptions extends Pick<SpawnOptions, 'stdio' | 'detached'> {
  readonly signal?: AbortSignal | undefined
}

export function startProgram(program: Program, reach: Reach, options: StartOptions = {}): ChildProcess {
  const { file, args, cwd, env } = within(reach, program)
  return spawn(file, args, { ...options, cwd, env })
}

export interface RunOptions {
  readonly maxBuffer?: number
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
  /** Of the output. Paths of git are bytes: as latin1, each byte is one character. */
  readonly encoding?: 'utf8' | 'latin1'
}

const run = promisify(execFile)

/** Runs a program to its end and returns its output. Rejects with `code` and `stderr` if it fails. */
export async function runProgram(
  program: Program,
  reach: Reach,
  options: RunOptions = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { file, args, cwd, env } = within(reach, program)
  return run(file, args, { encoding: 'utf8', ...options, cwd, env })
}

/** Sandboxes show no other directory, so the program inside changes to its own. */
function within(reach: Reach, program: Program): Program {
  if (reach === 'person') return program
  const [file = '', ...words] = reach.sandbox
  const args = [...words, `--chdir=${program.cwd}`, ...reach.limit, program.file, ...program.args]
  return { file, args, cwd: '/', env: withoutNamesOfCode(program.env) }
}

/**
 * Variables that name code for programs to load. They may name what an agent can write: in `LD_LIBRARY_PATH`, an empty
 * entry is the directory of the program. What makes a sandbox runs outside of it, so it must not get them.
 */
export const namesCode = /^(LD_.*|GCONV_PATH|LOCPATH)$/

export function withoutNamesOfCode(env: Program['env']): Program['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !namesCode.test(name)))
}
