/**
 * The one place from which this process starts programs. Each start names its reach: what the program may see, write and
 * contact. A program that runs in, or from, a place that an agent can write gets the reach of the session it serves, or less.
 */
import type { ChildProcess, ChildProcessWithoutNullStreams, SpawnOptions } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { delimiter, isAbsolute } from 'node:path'
import { promisify } from 'node:util'
import { onPath } from './find-program.ts'
import type { SandboxedProgram } from './confinement.ts'

export type Program = SandboxedProgram

/** What a program may reach. */
export type Reach =
  /** All that the person may. For programs that no agent can write, and that read nothing which an agent can write. */
  | 'person'
  /**
   * The command line of a sandbox. It ends where the directory of the program follows. `before`: the words before the
   * program.
   */
  | { readonly sandbox: readonly string[]; readonly before: readonly string[] }
  /** A sandbox that changes more than the command line, such as the environment. */
  | { readonly wrap: (program: Program) => Program }

export interface StartOptions extends Pick<SpawnOptions, 'stdio' | 'detached'> {
  readonly signal?: AbortSignal | undefined
}

export function startProgram(
  program: Program,
  reach: Reach,
  options?: StartOptions & { readonly stdio?: 'pipe' },
): ChildProcessWithoutNullStreams
export function startProgram(program: Program, reach: Reach, options: StartOptions): ChildProcess
export function startProgram(program: Program, reach: Reach, options: StartOptions = {}): ChildProcess {
  const { file, args, cwd, env } = within(reach, program)
  return spawn(file, args, { ...options, cwd, env, killSignal: killSignalOf(reach) })
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
  return run(file, args, { encoding: 'utf8', ...options, cwd, env, killSignal: killSignalOf(reach) })
}

/** The same, with an input. The error of a program that fails has its `stderr` as bytes. */
export function runForBytes(
  program: Program,
  reach: Reach,
  { input, ...options }: RunOptions & { readonly input: Buffer | string },
): Promise<Buffer> {
  const { file, args, cwd, env } = within(reach, program)
  return new Promise((resolve, reject) => {
    const all = { ...options, cwd, env, killSignal: killSignalOf(reach), encoding: 'buffer' } as const
    const child = execFile(file, args, all, (error, stdout, stderr) => {
      if (error) reject(Object.assign(error, { stderr }))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** For a time-out or an abort. A sandbox ignores SIGTERM, and its programs end with it. */
function killSignalOf(reach: Reach): NodeJS.Signals {
  return reach === 'person' ? 'SIGTERM' : 'SIGKILL'
}

/** Sandboxes show no other directory, so the program inside changes to its own. */
function within(reach: Reach, program: Program): Program {
  if (reach === 'person') return foundForPerson(program)
  if ('wrap' in reach) return { ...reach.wrap(program), cwd: '/' }
  const [file = '', ...words] = reach.sandbox
  const args = [...words, `--chdir=${program.cwd}`, ...reach.before, program.file, ...program.args]
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

/**
 * Neither the program nor those that it starts are looked up in directories that a project fills, since an agent may have
 * written there.
 */
function foundForPerson(program: Program): Program {
  const { file, env } = program
  const directories = (env['PATH'] ?? systemPath).split(delimiter)
  const trusted = directories.filter((each) => isAbsolute(each) && !/\/node_modules\/\.bin\/*$/.test(each))
  const path = trusted.join(delimiter) || '/nonexistent'
  const found = file.includes('/') ? file : (onPath(file, path) ?? file)
  return { ...program, file: found, env: { ...env, PATH: path } }
}

/** For programs of the system, which need nothing else of the environment. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin:/opt/homebrew/bin'
