import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string
  /** Vectors it computed, and vectors it had from an earlier run. */
  counts(): Promise<{ readonly computed: number; readonly cached: number }>
}

/** In a process of its own, as a model server is. */
export async function startEmbeddingServer(cachePath: string): Promise<EmbeddingServer> {
  const program = fileURLToPath(new URL('server.ts', import.meta.url))
  const child = fork(program, [cachePath], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const port = await firstLine(child)
  const origin = `http://127.0.0.1:${port}`
  return {
    url: `${origin}/v1`,
    counts: async () => (await fetch(`${origin}/counts`)).json() as Promise<{ computed: number; cached: number }>,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) return line
  throw new Error('The embedding server ended before it listened.')
}
