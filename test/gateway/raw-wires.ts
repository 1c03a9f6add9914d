/** The transports of the raw client: to a program over stdio, and to an endpoint over Streamable HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { newestLegacyVersion } from '../../src/mcp/wire.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { connectRaw, type Message, type RawClient, type Wire } from './raw-client.ts'

export interface Program {
  readonly cmd: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function connectProgram({ cmd, args, env }: Program): Promise<RawClient> {
  return connectRaw(async (receive): Promise<Wire> => {
    const child = spawn(cmd, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
    createInterface({ input: child.stdout }).on('line', (line) => receive(JSON.parse(line) as Message))
    return {
      send: async (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
      async [Symbol.asyncDispose]() {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      },
    }
  })
}

export function connectEndpoint(
  { url, token }: Endpoint,
  answers?: Readonly<Record<string, object>>,
): Promise<RawClient> {
  const open = async (receive: (message: Message) => void): Promise<Wire> => {
    const leaving = new AbortController()
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': newestLegacyVersion,
    }

    async function exchange(init: RequestInit): Promise<void> {
      const response = await fetch(url, { ...init, headers, signal: leaving.signal })
      const connectionId = response.headers.get('mcp-session-id')
      if (connectionId !== null && headers['mcp-session-id'] === undefined) {
        headers['mcp-session-id'] = connectionId
        await listen()
      }
      void read(response)
    }

    async function read(response: Response): Promise<void> {
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
        const text = await response.text()
        if (text !== '') receive(JSON.parse(text) as Message)
        return
      }
      let rest = ''
      try {
        for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
          const events = (rest + chunk).split('\n\n')
          rest = events.pop() ?? ''
          for (const event of events) {
            const data = /^data: (.+)$/m.exec(event)?.[1]
            if (data !== undefined) receive(JSON.parse(data) as Message)
          }
        }
      } catch {
        // The stream was closed, by us or by the hub. A test that waits for more messages fails on its own.
      }
    }

    async function listen(): Promise<void> {
      void read(await fetch(url, { method: 'GET', headers, signal: leaving.signal }))
    }

    return {
      send: (message) => exchange({ method: 'POST', body: JSON.stringify(message) }),
      async [Symbol.asyncDispose]() {
        leaving.abort()
      },
    }
  }
  return connectRaw(open, answers)
}
