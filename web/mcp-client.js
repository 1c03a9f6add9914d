// @ts-check
/** The hub over MCP 2026-07-28: each call stands alone, and one stream brings the notices of what changed. */

/** @typedef {Record<string, any>} Json */
/** @typedef {(tool: string, args?: Json, signal?: AbortSignal) => Promise<Json>} CallTool */
/** @typedef {ReturnType<typeof createMcpClient>} McpClient */

const version = '2026-07-28'

// Seen from `assets/`, so that it holds below any path a proxy gives the hub.
const endpoint = new URL('../mcp', import.meta.url)

/**
 * Why a call brought no result. `login`: the token is no good. `lost`: nobody answered, or not now; again later.
 * `refused`: the hub says no, and why.
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
   * @returns {AsyncGenerator<Json>} what comes until the answer, and the answer's result last
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
    throw new CallFailure('lost', 'The hub went away in the middle of an answer.')
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
      if (result.isError) throw new CallFailure('refused', text)
      return result.structuredContent ?? JSON.parse(text)
    },
    /**
     * Calls `onNotice` when one of these resources has changed, until the hub ends it.
     * @param {readonly string[]} uris
     * @param {() => void} onNotice
     * @param {AbortSignal} [signal]
     */
    async listen(uris, onNotice, signal) {
      const params = { notifications: { resourceSubscriptions: uris } }
      for await (const message of request('subscriptions/listen', params, signal)) {
        // What changed before the hub took note of us is told of with its acknowledgement.
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
    throw new CallFailure('lost', `Something between here and the hub answered with status ${response.status}.`)
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
 * What the browser throws where nobody answers says nothing to a person.
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

/** Codes of "not now": the hub starts or stops, has too much to do, or failed for once. */
const passing = new Set([-32001, -32005, -32603])

/** @type {(status: number, error: { code: number, message: string }) => CallFailure} */
function failureOf(status, { code, message }) {
  if (status === 401) return new CallFailure('login', message)
  return new CallFailure(status >= 500 || passing.has(code) ? 'lost' : 'refused', message)
}
