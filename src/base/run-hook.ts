/** `SIGNALBOX_NOTIFY_COMMAND`: a line for the shell, with what it is about on its stdin. */
import { spawn } from 'node:child_process'

export interface HookInput {
  /** Of the hook, with what it is told in variables. */
  readonly environment: Readonly<Record<string, string>>
  /** As JSON on its stdin. */
  readonly about: object
}

const mostMs = 30_000
const keptCharacters = 500

/** Rejects with what it said, if it fails. It is ended when it takes too long; when the hub stops it goes on without us. */
export async function runHook(line: string, { environment, about }: HookInput, stopping: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A group of its own, so that what the line started goes with it.
  const child = spawn('sh', ['-c', line], { env: environment, stdio: ['pipe', 'ignore', 'pipe'], detached: true })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-keptCharacters)))
  // One that does not want to read it is none the worse.
  child.stdin.on('error', () => {}).end(JSON.stringify(about))
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve()
    else reject(new Error(`the notify command ended with ${signal ?? code}: ${said.trim()}`))
  })
  const timer = setTimeout(() => killGroup(child.pid), mostMs)
  const letGo = () => {
    child.stderr.destroy()
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
    // It has just ended by itself.
  }
}
