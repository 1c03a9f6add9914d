/**
 * Runs the set-up or the tear-down of a worktree: a shell line of its template. It runs files that an agent may have
 * written, so it has the sandbox of the sessions that work there. Its output goes to a file.
 */
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SandboxChoice } from '../api/sandbox.ts'
import type { Template } from '../api/template.ts'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Program } from '../base/start-program.ts'
import { startProgram } from '../base/start-program.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { ConfineProgram } from '../sandbox/sandbox.ts'
import { toLaunch } from './program.ts'

export interface WorktreeScript {
  readonly field: 'worktree_setup' | 'worktree_teardown'
  readonly line: string
  readonly template: Pick<Template, 'name' | 'prefix'>
  /** The worktree. */
  readonly path: string
  readonly env: ProgramEnvironment
  /** That of the sessions in the worktree. */
  readonly sandbox: SandboxChoice
  readonly confine: ConfineProgram
  /** The session that waits for it. */
  readonly session?: string | undefined
  readonly outputFile: string
  /** Ends it, with all its processes. */
  readonly signal: AbortSignal
}

const mostMs = 10 * 60_000
const shownCharacters = 2_000

/** Returns the end of its output. Throws if it fails, is stopped or takes too long. */
export async function runWorktreeScript(script: WorktreeScript): Promise<string> {
  const { field, template, outputFile } = script
  await mkdir(dirname(outputFile), { recursive: true, mode: 0o700 })
  const how = await outcomeOf(script)
  const output = (await readFile(outputFile, 'utf8')).trim().slice(-shownCharacters)
  if (how === undefined) return output
  throw new HubError(
    'unavailable',
    `${field} of the template "${template.name}" ${how}${output === '' ? '.' : `: ${output}`}\nAll of its output is in ${outputFile}.`,
  )
}

/** `undefined`: it ended with exit code 0. */
async function outcomeOf(script: WorktreeScript): Promise<string | undefined> {
  const { line, template, path, env, outputFile, signal } = script
  const { file, args } = toLaunch({ command: line, args: undefined }, template.prefix, env)
  const program = { file: findProgram(file, env['PATH'] ?? '', path), args, cwd: path, env }
  await using output = await open(outputFile, 'w', 0o600)
  using confined = await confinedIn(script, program)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  // A process group of its own, so that stopping it also ends the programs that it started.
  const child = startProgram(program, confined?.within ?? 'person', {
    stdio: ['ignore', output.fd, output.fd],
    detached: true,
  })
  child.on('error', (error) => resolve(`could not be run (${messageOf(error)})`))
  child.on('exit', (code, killedBy) => {
    if (code === 0) resolve(undefined)
    else resolve(code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`)
  })
  const stop = (why: string) => {
    resolve(why)
    endGroup(child.pid)
  }
  const timer = setTimeout(() => stop('took longer than ten minutes and was ended'), mostMs)
  const onAbort = () => stop('was stopped')
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** `undefined`: no confined session has worked there. */
async function confinedIn({ field, sandbox, confine, session, template }: WorktreeScript, program: Program) {
  if (sandbox === 'off') return undefined
  try {
    return await confine({ sandbox, program, workspace: program.cwd, session })
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const why = `${field} of the template "${template.name}" did not run, because it cannot be confined like the sessions there.`
    throw new HubError(error.code, `${why} ${error.message}`, { cause: error })
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has just ended by itself.
  }
}
