/** `signalbox relay` as a client starts it, with its stdin and stdout in the hands of a test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

export interface RelayProcess extends AsyncDisposable {
  /** What it printed, line by line, as it came. */
  readonly lines: readonly string[]
  /** The same, parsed. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  send(...messages: readonly unknown[]): void
  /** The response to the request with this id. */
  answer(id: string | number): Promise<Readonly<Record<string, unknown>>>
  /** Ends its stdin. */
  finish(): void
  readonly exit: Promise<{ readonly code: number | null; readonly stderr: string }>
}

const bin = fileURLToPath(new URL('../../bin/signalbox', import.meta.url))
const patience = { timeout: 20_000, interval: 10 }

export function startRelay(args: readonly string[], env: Readonly<Record<string, string>> = {}): RelayProcess {
  const child = spawn(bin, ['relay', ...args], { env: { PATH: process.env['PATH'], ...env } })
  const lines: string[] = []
  const messages: Readonly<Record<string, unknown>>[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    messages.push(JSON.parse(line))
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // It may end before it has read what it was sent.
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
