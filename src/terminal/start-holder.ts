/** Starts a holder and hands it its task. It is detached: it lives on when the hub is gone, however it went. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { HubError, messageOf } from '../base/hub-error.ts'
import { siblingModule } from '../base/sibling-module.ts'
import type { HolderNotice } from './holder/notice.ts'
import type { HolderTask } from './holder/task.ts'

const startWithinMs = 15_000

/** `cacheDirectory`: where code is kept compiled. Half the time to start, and half the memory of each holder. */
export async function startHolder(task: HolderTask, cacheDirectory?: string): Promise<HolderNotice> {
  const module = fileURLToPath(siblingModule('holder/holder', import.meta.url))
  const holder = spawn(process.execPath, ['--max-semi-space-size=1', module], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    // Nothing of ours: what the program shall see is in the task.
    env: { PATH: '/usr/bin:/bin', ...(cacheDirectory !== undefined && { NODE_COMPILE_CACHE: cacheDirectory }) },
  })
  const failure = once(holder, 'error').then(([error]) => ({ error: messageOf(error) }))
  holder.stdin.on('error', () => {})
  holder.stdin.end(JSON.stringify(task))
  const answer = await Promise.race([readLine(holder.stdout), failure, timeOut()])
  holder.stdout.destroy()
  holder.unref()
  if ('error' in answer) throw new HubError('unavailable', `The terminal could not be started: ${answer.error}.`)
  return answer
}

async function readLine(output: AsyncIterable<Buffer>): Promise<HolderNotice | { error: string }> {
  let text = ''
  for await (const chunk of output) {
    text += chunk.toString('utf8')
    if (text.includes('\n')) return JSON.parse(text) as HolderNotice | { error: string }
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
