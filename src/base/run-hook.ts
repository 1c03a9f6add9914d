/** `SIGNALBOX_NOTIFY_COMMAND`: runs a shell command line, with the notification on its stdin. */
import { startProgram } from './start-program.ts'

export interface HookInput {
  /** Includes the variables of the notification. */
  readonly environment: Readonly<Record<string, string>>
  /** Written as JSON to stdin. */
  readonly about: object
}

const mostMs = 30_000
const keptCharacters = 500

/**
 * Rejects with the command's stderr if it fails. Kills a command that takes too long. A command that still runs when the
 * hub stops is left running.
 */
export async function runHook(line: string, { environment, about }: HookInput, stopping: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A process group of its own, so that killing it also ends the programs that the command started.
  const program = { file: '/bin/sh', args: ['-c', line], cwd: process.cwd(), env: environment }
  const child = startProgram(program, 'person', { stdio: ['pipe', 'ignore', 'pipe'], detached: true })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-keptCharacters)))
  // A command need not read its stdin.
  child.stdin!.on('error', () => {}).end(JSON.stringify(about))
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve()
    else reject(new Error(`the notify command ended with ${signal ?? code}: ${stderr.trim()}`))
  })
  const timer = setTimeout(() => killGroup(child.pid), mostMs)
  const letGo = () => {
    child.stderr!.destroy()
    child.unref()
    resolve()
  }
  stopping.addEventListener('abort', letGo)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', letGo)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has just ended by itself.
  }
}
