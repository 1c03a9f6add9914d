/** A minimal client of a socket with one message per line. It keeps every message it receives. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { modernMeta } from './modern-call.ts'

export interface LineClient extends AsyncDisposable {
  readonly socket: Socket
  /** All received messages, in order. */
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  send(...messages: readonly unknown[]): void
  /** The response to the request with this id. */
  answer(id: string | number): Promise<Readonly<Record<string, unknown>>>
  /** Sends a request of 2026-07-28 and waits for its response. */
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** The structured result. */
  callTool(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** Resolves when the other side has closed the socket or is gone. */
  readonly ended: Promise<void>
}

const patience = { timeout: 60_000, interval: 5 }

export async function openLines(path: string): Promise<LineClient> {
  const socket = connect({ path, allowHalfOpen: true })
  await once(socket, 'connect')
  socket.on('error', () => {})
  const messages: Readonly<Record<string, unknown>>[] = []
  const lines = createInterface({ input: socket })
  lines.on('line', (line) => void messages.push(JSON.parse(line))).on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const ended = new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()))
  let count = 0

  function send(...sent: readonly unknown[]): void {
    socket.write(sent.map((message) => `${JSON.stringify(message)}\n`).join(''))
  }

  async function answer(id: string | number) {
    const find = () => messages.find((message) => message['id'] === id && !('method' in message))
    await expect.poll(find, patience).toBeDefined()
    return find()!
  }

  async function request(method: string, params: Readonly<Record<string, unknown>> = {}) {
    const id = `own-${++count}`
    send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta } })
    return answer(id)
  }

  return {
    socket,
    messages,
    send,
    answer,
    request,
    async callTool(name, args = {}) {
      const { result } = (await request('tools/call', { name, arguments: args })) as { result?: ToolResult }
      if (result?.structuredContent === undefined) throw new Error(`${name} answered ${JSON.stringify(result)}`)
      return result.structuredContent
    },
    ended,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await closed
    },
  }
}

interface ToolResult {
  readonly structuredContent?: Readonly<Record<string, unknown>>
}
