/**
 * A connection of the revisions before 2026-07-28. `initialize` opens it, `Mcp-Session-Id` names it, and notices come on a
 * stream of their own. It survives network failures and restarts of the hub. If the hub has dropped it, the relay opens a
 * new one.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BridgeContext } from './bridge-context.ts'
import type { Forwarded } from './hub-answer.ts'
import { forwardAnswer, readAnswer } from './hub-answer.ts'
import type { Headers } from './hub-http.ts'
import type { Answer, Message } from './message.ts'
import { readMessage } from './message.ts'
import { outcomeUnknown } from './output.ts'
import { isIdempotent } from './idempotent.ts'

export interface LegacyBridge {
  /** Resolves when a request is answered, or a notification is accepted. */
  forward(message: Message): Promise<void>
  /** Closes the connection at the hub. */
  end(): Promise<void>
}

interface Connection {
  /** `undefined` for a stateless server. */
  readonly id: string | undefined
  version: string | undefined
}

/** The delay before a broken stream is resumed, unless the hub sets one. */
const reconnectMs = 500
const closeTimeoutMs = 1_000

const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

export function createLegacyBridge({ http, output, signal, giveUp }: BridgeContext): LegacyBridge {
  let connection: Connection | undefined
  let initializeMessage: Message | undefined
  let renewing: Promise<void> | undefined
  /** Subscriptions and log level, which a new connection needs again. */
  const replayed = new Map<string, Message>()

  function send(message: Message): Promise<IncomingMessage> {
    const { text: body } = message
    const headers = message.method === 'initialize' ? {} : headersOf(connection)
    return http.send({ method: 'POST', headers, body, signal, isIdempotent: isIdempotent(message) })
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
      const onAnswer = message.method === 'initialize' ? openConnection(message, response) : undefined
      let forwarded = await forwardAnswer(await readAnswer(response), message.ids, output, onAnswer)
      while (forwarded.missing.length > 0 && forwarded.lastEventId !== undefined) forwarded = await resume(forwarded)
      if (!signal.aborted) await output.fail(forwarded.missing, outcomeUnknown)
    } catch (error) {
      if (!signal.aborted) await giveUp(message.ids, error)
    }
  }

  async function resume({ missing, lastEventId = '', retryMs = reconnectMs }: Forwarded): Promise<Forwarded> {
    await sleep(retryMs, undefined, { signal })
    const headers = { ...headersOf(connection), 'Last-Event-ID': lastEventId }
    const response = await http.send({ method: 'GET', headers, signal, isIdempotent: true })
    const answer = await readAnswer(response)
    if (answer.is === 'text') return { missing }
    const forwarded = await forwardAnswer(answer, missing, output)
    return { ...forwarded, lastEventId: forwarded.lastEventId ?? lastEventId }
  }

  /** Remembers the connection that an answer to `initialize` opens. */
  function openConnection(message: Message, { headers }: IncomingMessage): (answer: Answer) => void {
    const id = headers['mcp-session-id']
    const opened: Connection = { id: Array.isArray(id) ? id[0] : id, version: undefined }
    return ({ result }) => {
      if (!result) return
      const version = result['protocolVersion']
      opened.version = typeof version === 'string' ? version : undefined
      connection = opened
      initializeMessage = message
    }
  }

  /** The hub has dropped the connection: it was idle for long, or the data directory was deleted. */
  async function renew(lost: Connection): Promise<void> {
    if (connection !== lost || !initializeMessage) return
    renewing ??= reinitialize(initializeMessage).finally(() => (renewing = undefined))
    await renewing
  }

  async function reinitialize(message: Message): Promise<void> {
    const discard = { write: async () => {}, fail: async () => {} }
    const response = await send(message)
    await forwardAnswer(await readAnswer(response), message.ids, discard, openConnection(message, response))
    for (const each of [messageOf(initialized), ...replayed.values()]) (await send(each)).resume()
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
      let retryMs = reconnectMs
      try {
        const position: Headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
        const headers = { ...headersOf(own), ...position }
        const response = await http.send({ method: 'GET', headers, signal, isIdempotent: true })
        if (response.statusCode === 404) return await renew(own)
        const answer = await readAnswer(response)
        // Some servers have no stream of notices.
        if (answer.is === 'text') return
        const forwarded = await forwardAnswer(answer, [], output)
        lastEventId = forwarded.lastEventId ?? lastEventId
        retryMs = forwarded.retryMs ?? retryMs
      } catch (error) {
        if (!signal.aborted) await giveUp([], error)
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  function noteForReplay(message: Message): void {
    const { method, params } = message
    const topic = String(params['uri'])
    if (method === 'resources/subscribe') replayed.set(topic, message)
    else if (method === 'resources/unsubscribe') replayed.delete(topic)
    else if (method === 'logging/setLevel') replayed.set(method, message)
  }

  return {
    async forward(message) {
      noteForReplay(message)
      await (message.ids.length > 0 ? request(message) : notify(message))
    },
    async end() {
      if (connection?.id === undefined) return
      const headers = headersOf(connection)
      const last = {
        method: 'DELETE',
        headers,
        signal: AbortSignal.timeout(closeTimeoutMs),
        isIdempotent: false,
      } as const
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
