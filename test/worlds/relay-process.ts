/** `signalbox relay` as a client starts it. The test has its stdin and stdout. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

export interface RelayProcess extends AsyncDisposable {
  /** The lines it printed, unchanged. */
  readonly lines: readonly string[]
  /** The same, parsed. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  send(...messages: readonly unknown[]): void
  /** The response to the request with this id. */
  answer(id: string | number): Promise<Readonly<Record<string, unknown>>>
  /** Closes its stdin. */
  finish(): void
  readonly exit: Promise<{ readonly code: number | null; readonly stderr: string }>
}

const bin = fileURLToPath(new URL('../../bin/signalbox', import.meta.url))
const patience = { timeout: 60_000, interval: 10 }

export function startRelay(args: readonly string[], env: Readonly<Record<string, string>> = {}): RelayProcess {
  const child = spawn(bin, ['relay', ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  })
  const lines: string[] = []
  const messages: Readonly<Record<string, unknown>>[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    messages.push(JSON.parse(line))
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // The relay may exit before it has read its input.
  child.stdin.on('error', () => {})
  const exit = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, stderr }))
  return {
    lines,
    messages,
    send: (...sent) => void child.stdin.write(sent.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async answer(id) {
      const find = () => messages.find((message) => message['id'] === id && !('method' in message))
      await expect.poll(find, patience).toBeDefined()
      return find()!
    },
    finish: () => void child.stdin.end(),
    exit,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
