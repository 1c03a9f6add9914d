/** A legacy client that does not interpret messages, so that tests can compare them unchanged. */
import { isRecord } from '../../src/base/is-record.ts'
import { newestLegacyVersion } from '../../src/mcp/wire.ts'

export interface RawClient extends AsyncDisposable {
  /** The result of `initialize`. */
  readonly opening: Readonly<Record<string, unknown>>
  /** The response, either a result or an error. */
  request(method: string, params?: Params): Promise<Answer>
  /** The id of the newest request. */
  readonly lastId: number
  notify(method: string, params?: Params): Promise<void>
  /** The notifications in the order of arrival. */
  readonly notifications: readonly Message[]
  /** The methods of the requests it got. */
  readonly asked: readonly string[]
}

export type Params = Readonly<Record<string, unknown>>
export type Message = Answer & Readonly<Record<string, unknown>> & { readonly params?: Params }

export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Sends messages. Received messages go to `receive`. */
export interface Wire extends AsyncDisposable {
  send(message: object): Promise<void>
}

const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } }

/** Its answers to requests. */
const ownAnswers: Readonly<Record<string, object>> = {
  'roots/list': { roots: [] },
  'sampling/createMessage': { role: 'assistant', model: 'none', content: { type: 'text', text: 'so be it' } },
  'elicitation/create': { action: 'decline' },
  ping: {},
}

export async function connectRaw(
  open: (receive: (message: Message) => void) => Promise<Wire>,
  answers: Readonly<Record<string, object>> = {},
): Promise<RawClient> {
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
    const result = answers[method] ?? ownAnswers[method]
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
