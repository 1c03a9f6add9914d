/**
 * A connection to `codex app-server`: a WebSocket with one JSON message per frame, JSON-RPC without the `jsonrpc`
 * field. Both sides send requests.
 */
import { z } from 'zod'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { whyTooHeavy } from '../../base/json-weight.ts'
import { createPace } from '../../base/pace.ts'
import { agentId } from '../port/agent-id.ts'
import type { AnswerRoom } from '../port/answer-room.ts'
import type { WebSocketClient } from './web-socket.ts'
import { openWebSocket } from './web-socket.ts'

export interface AppServer extends Disposable {
  /** Rejects with a `HubError` if the server refuses, or if the connection ends first. */
  call<Result>(method: string, params: object, result: z.ZodType<Result>): Promise<Result>
  notify(method: string): void
  /** Answers a request of the server. An answer that comes too late is ignored there. */
  answer(id: RequestId, result: object): void
  /** Answers a request with an error. */
  refuse(id: RequestId, message: string): void
}

export type RequestId = string | number

export interface AppServerListeners {
  onNotification(method: string, params: unknown): void
  onRequest(id: RequestId, method: string, params: unknown): void
  /** The connection has ended, but was not disposed of. `fault`: the hub has ended it, because it cannot read on. */
  onClose(fault?: string): void
}

export interface AppServerAddress {
  readonly url: string
  /** The capability token that the server wants. */
  readonly token: string
}

const requestId = z.union([agentId, z.number()])
const incoming = z.union([
  z.object({ method: agentId, id: requestId, params: z.unknown().optional() }),
  z.object({ method: agentId, params: z.unknown().optional() }),
  z.object({ id: requestId, error: z.object({ message: z.string() }) }),
  z.object({ id: requestId, result: z.unknown().optional() }),
])

interface Call {
  resolve(result: unknown): void
  reject(error: HubError): void
}

/** A server that has started answers at once. This is for a machine under load. */
const connectMs = 30_000

/** Reads no faster than there is room for requests of the server. */
export async function connectToAppServer(
  { url, token }: AppServerAddress,
  listeners: AppServerListeners,
  room: AnswerRoom,
): Promise<AppServer> {
  const socket = await opened(url, token)
  const calls = new Map<RequestId, Call>()
  const closed = new AbortController()
  let lastId = 0
  let isDisposed = false

  async function receive(): Promise<void> {
    const pace = createPace()
    for await (const bytes of socket.messages()) {
      const startedAt = performance.now()
      if (room.isFull) await room.ready(closed.signal)
      if (isDisposed) return
      const why = whyTooHeavy(bytes)
      if (why !== undefined) {
        throw new HubError(
          'too-large',
          `Codex sent a message of ${bytes.length} bytes that is too much for the hub: ${why}.`,
        )
      }
      take(bytes)
      await pace(startedAt)
    }
  }

  function take(bytes: Buffer): void {
    const message = incoming.safeParse(parsed(bytes))
    if (!message.success) return
    const received = message.data
    if ('method' in received) {
      if ('id' in received) listeners.onRequest(received.id, received.method, received.params)
      else listeners.onNotification(received.method, received.params)
      return
    }
    const call = calls.get(received.id)
    calls.delete(received.id)
    if ('error' in received) call?.reject(new HubError('unavailable', received.error.message))
    else call?.resolve(received.result)
  }

  function end(fault: string | undefined): void {
    socket[Symbol.dispose]()
    closed.abort()
    for (const { reject } of calls.values()) reject(new HubError('unavailable', 'The connection to Codex has ended.'))
    calls.clear()
    if (!isDisposed) listeners.onClose(fault)
  }

  receive().then(
    () => end(undefined),
    (error: unknown) => end(messageOf(error)),
  )

  function send(message: object): void {
    if (socket.isOpen) socket.send(JSON.stringify(message))
  }

  return {
    async call(method, params, result) {
      if (!socket.isOpen) {
        throw new HubError('unavailable', 'The hub is not connected to Codex. Try again in a moment.')
      }
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      calls.set(id, { resolve, reject })
      send({ id, method, params })
      const answer = await promise
      const read = result.safeParse(answer)
      if (read.success) return read.data
      throw new HubError('unavailable', `Codex answered ${method} in a way that this hub does not understand.`)
    },
    notify: (method) => send({ method }),
    answer: (id, result) => send({ id, result }),
    refuse: (id, message) => send({ id, error: { code: -32_000, message } }),
    [Symbol.dispose]() {
      isDisposed = true
      end(undefined)
    },
  }
}

/** Introduces the hub. Must be the first call of a connection. */
export const introduction = {
  clientInfo: { name: 'signalbox', title: 'Signalbox', version: '0' },
  capabilities: { experimentalApi: true, requestAttestation: false },
}

export async function introduce(server: AppServer): Promise<Introduced> {
  const introduced = await server.call('initialize', introduction, introducedSchema)
  server.notify('initialized')
  return introduced
}

const introducedSchema = z.object({ codexHome: z.string() })
export type Introduced = z.output<typeof introducedSchema>

async function opened(url: string, token: string): Promise<WebSocketClient> {
  try {
    return await openWebSocket({ url, headers: { authorization: `Bearer ${token}` }, timeoutMs: connectMs })
  } catch (error) {
    throw new HubError('unavailable', `The hub cannot connect to Codex: ${messageOf(error)}.`, { cause: error })
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
