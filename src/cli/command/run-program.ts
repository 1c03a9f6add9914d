/** Runs a small program to its end and returns its output, or the reason why it has none. Never throws. */
import type { Reach } from '../../base/start-program.ts'
import { startProgram } from '../../base/start-program.ts'
import { defined } from '../../base/defined.ts'
import { systemReason } from '../../base/system-reason.ts'
import type { Environment } from '../../config/config.ts'

export type ProgramOutcome =
  | { readonly is: 'ended'; readonly code: number | null; readonly output: string }
  | { readonly is: 'missing' }
  | { readonly is: 'timed-out' }
  | { readonly is: 'failed'; readonly reason: string }

export function runProgram(
  file: string,
  args: readonly string[],
  { env, within, timeoutMs }: { env: Environment; within: Reach; timeoutMs: number },
): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    // Runs in its own process group: the children of a wrapper script keep the pipes open after the script is killed.
    const program = { file, args, cwd: '/', env: defined(env) }
    const child = startProgram(program, within, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) killGroup(child.pid)
      resolve({ is: 'timed-out' })
    }, timeoutMs)
    let output = ''
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    child.on('error', (error) => {
      clearTimeout(timer)
      const isMissing = 'code' in error && error.code === 'ENOENT'
      resolve(isMissing ? { is: 'missing' } : { is: 'failed', reason: systemReason(error) })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ is: 'ended', code, output })
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has just ended on its own.
  }
}
