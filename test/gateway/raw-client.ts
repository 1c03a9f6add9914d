/** A legacy client that understands nothing of what it is told, so that everything can be compared as it came. */
import { isRecord } from '../../src/base/is-record.ts'
import { newestLegacyVersion } from '../../src/mcp/wire.ts'

export interface RawClient extends AsyncDisposable {
  /** What `initialize` was answered with. */
  readonly opening: Readonly<Record<string, unknown>>
  /** The response, be it a result or an error. */
  request(method: string, params?: Params): Promise<Answer>
  /** The id of the newest request. */
  readonly lastId: number
  notify(method: string, params?: Params): Promise<void>
  /** The notifications that came, in that order. */
  readonly notifications: readonly Message[]
  /** The methods of what it was asked. */
  readonly asked: readonly string[]
}

export type Params = Readonly<Record<string, unknown>>
export type Message = Answer & Readonly<Record<string, unknown>> & { readonly params?: Params }

export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** What carries messages one way; the other way is `receive`. */
export interface Wire extends AsyncDisposable {
  send(message: object): Promise<void>
}

const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } }

/** What it says to whoever asks. */
const ownAnswers: Readonly<Record<string, object>> = {
  'roots/list': { roots: [] },
  'sampling/createMessage': { role: 'assistant', model: 'none', content: { type: 'text', text: 'so be it' } },
  'elicitation/create': { action: 'decline' },
  ping: {},
}

export async function connectRaw(open: (receive: (message: Message) => void) => Promise<Wire>): Promise<RawClient> {
  const waiting = new Map<unknown, (answer: Answer) => void>()
  const notifications: Message[] = []
  const asked: string[] = []
  let lastId = 0
  const wire = await open(receive)

  function receive(message: Message): void {
    const { id, method } = message
    if (typeof method !== 'string') return waiting.get(id)?.(message)
    if (id === undefined) return void notifications.push(message)
    asked.push(method)
    const result = ownAnswers[method]
    const error = { code: -32601, message: `Method not found: ${method}` }
    void wire.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
  }

  async function request(method: string, params: Params = {}): Promise<Answer> {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<Answer>()
    waiting.set(id, resolve)
    await wire.send({ jsonrpc: '2.0', id, method, params })
    return promise
  }

  const clientInfo = { name: 'raw-client', version: '1.0.0' }
  const { result } = await request('initialize', { protocolVersion: newestLegacyVersion, capabilities, clientInfo })
  if (!isRecord(result)) throw new Error('initialize was not answered with a result.')
  await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return {
    opening: result,
    request,
    get lastId() {
      return lastId
    },
    notify: (method, params = {}) => wire.send({ jsonrpc: '2.0', method, params }),
    notifications,
    asked,
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  }
}
