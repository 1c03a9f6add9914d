/** An upstream over HTTP, in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Program } from '../gateway/raw-wires.ts'

export interface HttpUpstream extends AsyncDisposable {
  readonly url: string
}

export async function startHttpUpstream({ cmd, args }: Program): Promise<HttpUpstream> {
  const child = spawn(cmd, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url: line.replace('listening on ', ''),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
