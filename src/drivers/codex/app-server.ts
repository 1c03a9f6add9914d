/**
 * A connection to `codex app-server`: a WebSocket with one JSON message per frame, JSON-RPC without the `jsonrpc`
 * field. Both sides send requests.
 */
import { z } from 'zod'
import { HubError, messageOf } from '../../base/hub-error.ts'

export interface AppServer extends Disposable {
  /** Rejects with a `HubError` if the server refuses, or if the connection ends first. */
  call<Result>(method: string, params: object, result: z.ZodType<Result>): Promise<Result>
  notify(method: string): void
  /** Answers a request of the server. An answer that comes too late is ignored there. */
  answer(id: RequestId, result: object): void
}

export type RequestId = string | number

export interface AppServerListeners {
  onNotification(method: string, params: unknown): void
  onRequest(id: RequestId, method: string, params: unknown): void
  /** The connection has ended, but was not disposed of. */
  onClose(): void
}

export interface AppServerAddress {
  readonly url: string
  /** The capability token that the server wants. */
  readonly token: string
}

const requestId = z.union([z.string(), z.number()])
const incoming = z.union([
  z.object({ method: z.string(), id: requestId, params: z.unknown().optional() }),
  z.object({ method: z.string(), params: z.unknown().optional() }),
  z.object({ id: requestId, error: z.object({ message: z.string() }) }),
  z.object({ id: requestId, result: z.unknown().optional() }),
])

interface Call {
  resolve(result: unknown): void
  reject(error: HubError): void
}

/** A server that has started answers at once. This is for a machine under load. */
const connectMs = 30_000

export async function connectToAppServer(
  { url, token }: AppServerAddress,
  listeners: AppServerListeners,
): Promise<AppServer> {
  // Node's WebSocket accepts headers, but the types describe that of browsers.
  const options: unknown = { headers: { authorization: `Bearer ${token}` } }
  const socket = new WebSocket(url, options as string[])
  const calls = new Map<RequestId, Call>()
  let lastId = 0
  let isDisposed = false

  socket.addEventListener('message', ({ data }) => {
    const message = incoming.safeParse(parsed(data))
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
  })
  await opened(socket)
  socket.addEventListener('close', () => {
    for (const { reject } of calls.values()) reject(new HubError('unavailable', 'The connection to Codex has ended.'))
    calls.clear()
    if (!isDisposed) listeners.onClose()
  })

  return {
    async call(method, params, result) {
      if (socket.readyState !== WebSocket.OPEN) {
        throw new HubError('unavailable', 'The hub is not connected to Codex. Try again in a moment.')
      }
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      calls.set(id, { resolve, reject })
      socket.send(JSON.stringify({ id, method, params }))
      const answer = await promise
      const read = result.safeParse(answer)
      if (read.success) return read.data
      throw new HubError('unavailable', `Codex answered ${method} in a way that this hub does not understand.`)
    },
    notify: (method) => socket.send(JSON.stringify({ method })),
    answer(id, result) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id, result }))
    },
    [Symbol.dispose]() {
      isDisposed = true
      socket.close()
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

async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('it does not answer')), connectMs)
  socket.addEventListener('open', () => resolve(), { once: true })
  socket.addEventListener('error', () => reject(new Error('it refused the connection')), { once: true })
  try {
    await promise
  } catch (error) {
    socket.close()
    throw new HubError('unavailable', `The hub cannot connect to Codex: ${messageOf(error)}.`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}
