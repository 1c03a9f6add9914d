/** Starts a holder and gives it its task. It is detached, so that it survives the end of the hub in every case. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { HubError, messageOf } from '../base/hub-error.ts'
import { siblingModule } from '../base/sibling-module.ts'
import { startProgram } from '../base/start-program.ts'
import type { HolderInfo } from './holder/holder-info.ts'
import type { HolderTask } from './holder/task.ts'

/** A holder that fails says so or ends. This is for one that does neither, on a machine that may be very busy. */
const startWithinMs = 60_000

/** `cacheDirectory`: for compiled code. It halves the start time and the memory of each holder. */
export async function startHolder(task: HolderTask, cacheDirectory?: string): Promise<HolderInfo> {
  const module = fileURLToPath(siblingModule('holder/holder', import.meta.url))
  const node = {
    file: process.execPath,
    args: ['--max-semi-space-size=1', module],
    cwd: '/',
    // Nothing of the hub's environment: the task contains the program's environment.
    env: { PATH: '/usr/bin:/bin', ...(cacheDirectory !== undefined && { NODE_COMPILE_CACHE: cacheDirectory }) },
  }
  const holder = startProgram(node, 'person', { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  const failure = once(holder, 'error').then(([error]) => ({ error: messageOf(error) }))
  holder.stdin!.on('error', () => {})
  holder.stdin!.end(JSON.stringify(task))
  const answer = await Promise.race([readLine(holder.stdout!), failure, timeOut()])
  holder.stdout!.destroy()
  holder.unref()
  if ('error' in answer) throw new HubError('unavailable', `The terminal could not be started: ${answer.error}.`)
  return answer
}

async function readLine(output: AsyncIterable<Buffer>): Promise<HolderInfo | { error: string }> {
  let text = ''
  for await (const chunk of output) {
    text += chunk.toString('utf8')
    if (text.includes('\n')) return JSON.parse(text) as HolderInfo | { error: string }
  }
  return { error: 'its holder ended before it was ready' }
}

function timeOut(): Promise<{ error: string }> {
  return new Promise((resolve) => {
    setTimeout(
      () => resolve({ error: `its holder was not ready within ${startWithinMs / 1000} seconds` }),
      startWithinMs,
    ).unref()
  })
}
