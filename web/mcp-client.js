// @ts-check
/** Talks to the hub with MCP 2026-07-28: each call is independent, and one stream delivers the change notices. */

import { withoutToolAdvice } from './page-words.js'

/** @typedef {Record<string, any>} Json */
/** @typedef {(tool: string, args?: Json, signal?: AbortSignal) => Promise<Json>} CallTool */
/** @typedef {ReturnType<typeof createMcpClient>} McpClient */

const version = '2026-07-28'

// Relative to `assets/`, so that it works below any path prefix of a proxy.
const endpoint = new URL('../mcp', import.meta.url)

/**
 * Why a call failed. `login`: the token is invalid. `lost`: the hub did not answer, or cannot now; retry later.
 * `refused`: the hub refused the call, and the message says why.
 */
export class CallFailure extends Error {
  /**
   * @param {'login' | 'lost' | 'refused'} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message)
    this.kind = kind
  }
}

/** @param {string} token */
export function createMcpClient(token) {
  let lastId = 0

  /**
   * @param {string} method
   * @param {Json} params
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Json>} the messages before the answer, then the result of the answer
   */
  async function* request(method, params, signal) {
    const id = ++lastId
    const response = await reach(post(id, method, params, signal), signal)
    for await (const message of messagesOf(response, signal)) {
      if (message.id !== id && message.error === undefined) {
        yield message
        continue
      }
      if (message.error) throw failureOf(response.status, message.error)
      yield message.result
      return
    }
    throw new CallFailure('lost', 'The connection to the hub broke during an answer.')
  }

  /** @type {(id: number, method: string, params: Json, signal?: AbortSignal) => Promise<Response>} */
  function post(id, method, params, signal) {
    return fetch(endpoint, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': version,
        'Mcp-Method': method,
        ...(method === 'tools/call' && { 'Mcp-Name': params.name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
      ...(signal && { signal }),
    })
  }

  return {
    /** @type {CallTool} */
    async call(tool, args = {}, signal) {
      /** @type {Json} */
      let result = {}
      for await (result of request('tools/call', { name: tool, arguments: args }, signal));
      const text = result.content?.[0]?.text ?? ''
      if (result.isError) throw new CallFailure('refused', withoutToolAdvice(text))
      return result.structuredContent ?? JSON.parse(text)
    },
    /**
     * Calls `onNotice` when one of these resources has changed, until the hub ends the stream.
     * @param {readonly string[]} uris
     * @param {() => void} onNotice
     * @param {AbortSignal} [signal]
     */
    async listen(uris, onNotice, signal) {
      const params = { notifications: { resourceSubscriptions: uris } }
      for await (const message of request('subscriptions/listen', params, signal)) {
        // Changes before the subscription are covered by its acknowledgement.
        const isAcknowledged = message.method === 'notifications/subscriptions/acknowledged'
        if (isAcknowledged || message.method === 'notifications/resources/updated') onNotice()
      }
    },
  }
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'signalbox-page', version: '1' },
}

/**
 * @param {Response} response one JSON message, or a stream of them
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Json>}
 */
async function* messagesOf(response, signal) {
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('application/json')) return void (yield await reach(response.json(), signal))
  if (!type.startsWith('text/event-stream')) {
    throw new CallFailure('lost', `A proxy before the hub answered with status ${response.status}.`)
  }
  const body = /** @type {ReadableStream<BufferSource>} */ (response.body)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let unread = ''
  for (;;) {
    const { done, value } = await reach(reader.read(), signal)
    if (done) return
    const events = (unread + value).split('\n\n')
    unread = /** @type {string} */ (events.pop())
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:'))
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n'))
    }
  }
}

/**
 * The browser's own error for an unreachable server does not help a person.
 * @template T
 * @param {Promise<T>} answer
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function reach(answer, signal) {
  try {
    return await answer
  } catch {
    signal?.throwIfAborted()
    throw new CallFailure('lost', 'The hub cannot be reached.')
  }
}

/** Codes of temporary failures: the hub starts or stops, is overloaded, or had an internal error. */
const temporary = new Set([-32001, -32005, -32603])

/** @type {(status: number, error: { code: number, message: string }) => CallFailure} */
function failureOf(status, { code, message }) {
  if (status === 401) return new CallFailure('login', message)
  return new CallFailure(status >= 500 || temporary.has(code) ? 'lost' : 'refused', withoutToolAdvice(message))
}
