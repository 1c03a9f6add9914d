/**
 * A connection of the revisions before 2026-07-28: begun by `initialize`, known by its `Mcp-Session-Id`, with a stream
 * for notices beside the answers. It outlives cuts and restarts of the hub, and is made anew when the hub has forgotten it.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BridgeContext } from './bridge-context.ts'
import type { Passed } from './hub-answer.ts'
import { passOn, readAnswer } from './hub-answer.ts'
import type { Headers } from './hub-http.ts'
import type { Answer, Message } from './message.ts'
import { readMessage } from './message.ts'
import { outcomeUnknown } from './output.ts'
import { isRepeatable } from './repeatable.ts'

export interface LegacyBridge {
  /** Resolves when it is answered, or taken. */
  pass(message: Message): Promise<void>
  /** Tells the hub that nobody comes back. */
  end(): Promise<void>
}

interface Connection {
  /** Absent where the hub keeps none. */
  readonly id: string | undefined
  version: string | undefined
}

/** When a stream that broke off is looked for again, unless the hub says when. */
const comeBackMs = 500
const farewellMs = 1_000

const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

export function createLegacyBridge({ http, output, signal, giveUp }: BridgeContext): LegacyBridge {
  let connection: Connection | undefined
  let hello: Message | undefined
  let renewing: Promise<void> | undefined
  /** What a new connection has to be told again. */
  const wishes = new Map<string, Message>()

  function send(message: Message): Promise<IncomingMessage> {
    const { text: body } = message
    const headers = message.method === 'initialize' ? {} : headersOf(connection)
    return http.send({ method: 'POST', headers, body, signal, isRepeatable: isRepeatable(message) })
  }

  async function sendOrRenew(message: Message): Promise<IncomingMessage> {
    const used = connection
    const response = await send(message)
    if (response.statusCode !== 404 || used?.id === undefined) return response
    response.resume()
    await renew(used)
    return send(message)
  }

  async function request(message: Message): Promise<void> {
    try {
      const response = await sendOrRenew(message)
      const onAnswer = message.method === 'initialize' ? begin(message, response) : undefined
      let passed = await passOn(await readAnswer(response), message.ids, output, onAnswer)
      while (passed.missing.length > 0 && passed.lastEventId !== undefined) passed = await resume(passed)
      if (!signal.aborted) await output.fail(passed.missing, outcomeUnknown)
    } catch (error) {
      if (!signal.aborted) await giveUp(message.ids, error)
    }
  }

  async function resume({ missing, lastEventId = '', retryMs = comeBackMs }: Passed): Promise<Passed> {
    await sleep(retryMs, undefined, { signal })
    const headers = { ...headersOf(connection), 'Last-Event-ID': lastEventId }
    const response = await http.send({ method: 'GET', headers, signal, isRepeatable: true })
    const answer = await readAnswer(response)
    if (answer.is === 'text') return { missing }
    const passed = await passOn(answer, missing, output)
    return { ...passed, lastEventId: passed.lastEventId ?? lastEventId }
  }

  /** Notes the connection that an answer to `initialize` opens. */
  function begin(message: Message, { headers }: IncomingMessage): (answer: Answer) => void {
    const id = headers['mcp-session-id']
    const begun: Connection = { id: Array.isArray(id) ? id[0] : id, version: undefined }
    return ({ result }) => {
      if (!result) return
      const version = result['protocolVersion']
      begun.version = typeof version === 'string' ? version : undefined
      connection = begun
      hello = message
    }
  }

  /** The hub has forgotten the connection: idle for long, or of a data directory that is gone. */
  async function renew(lost: Connection): Promise<void> {
    if (connection !== lost || !hello) return
    renewing ??= beginAgain(hello).finally(() => (renewing = undefined))
    await renewing
  }

  async function beginAgain(message: Message): Promise<void> {
    const silent = { say: async () => {}, fail: async () => {} }
    const response = await send(message)
    await passOn(await readAnswer(response), message.ids, silent, begin(message, response))
    for (const told of [messageOf(initialized), ...wishes.values()]) (await send(told)).resume()
    if (connection) void listen(connection)
  }

  async function notify(message: Message): Promise<void> {
    try {
      const response = await sendOrRenew(message)
      response.resume()
      if (message.method === 'notifications/initialized' && connection) void listen(connection)
    } catch (error) {
      if (!signal.aborted) await giveUp([], error)
    }
  }

  async function listen(own: Connection): Promise<void> {
    let lastEventId: string | undefined
    while (!signal.aborted && connection === own) {
      let retryMs = comeBackMs
      try {
        const place: Headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
        const headers = { ...headersOf(own), ...place }
        const response = await http.send({ method: 'GET', headers, signal, isRepeatable: true })
        if (response.statusCode === 404) return await renew(own)
        const answer = await readAnswer(response)
        // There are servers without notices.
        if (answer.is === 'text') return
        const passed = await passOn(answer, [], output)
        lastEventId = passed.lastEventId ?? lastEventId
        retryMs = passed.retryMs ?? retryMs
      } catch (error) {
        if (!signal.aborted) await giveUp([], error)
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  function noteWish(message: Message): void {
    const { method, params } = message
    const topic = String(params['uri'])
    if (method === 'resources/subscribe') wishes.set(topic, message)
    else if (method === 'resources/unsubscribe') wishes.delete(topic)
    else if (method === 'logging/setLevel') wishes.set(method, message)
  }

  return {
    async pass(message) {
      noteWish(message)
      await (message.ids.length > 0 ? request(message) : notify(message))
    },
    async end() {
      if (connection?.id === undefined) return
      const headers = headersOf(connection)
      const last = { method: 'DELETE', headers, signal: AbortSignal.timeout(farewellMs), isRepeatable: false } as const
      await http.send(last).then(
        (response) => response.resume(),
        () => {},
      )
    },
  }
}

function headersOf(connection: Connection | undefined): Headers {
  return {
    ...(connection?.id !== undefined && { 'Mcp-Session-Id': connection.id }),
    ...(connection?.version !== undefined && { 'MCP-Protocol-Version': connection.version }),
  }
}

function messageOf(text: string): Message {
  return readMessage(Buffer.from(text))!
}
