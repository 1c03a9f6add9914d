/** Forwards requests of 2026-07-28. Each is independent, and its headers repeat parts of its body. */
import { encodeHeader, markedParams, namedField, valueAt } from '../../base/mcp-headers.ts'
import type { MarkedParam } from '../../base/mcp-headers.ts'
import { isRecord } from '../../base/is-record.ts'
import { forwardAnswer, readAnswer } from './hub-answer.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { Headers } from './hub-http.ts'
import type { BridgeContext } from './bridge-context.ts'
import type { Id, Message } from './message.ts'
import { readAnswers } from './message.ts'
import { outcomeUnknown, unavailableError } from './output.ts'
import { isIdempotent } from './idempotent.ts'

export interface ModernBridge {
  /** Resolves when the request is answered or cancelled. */
  request(message: Message): Promise<void>
  /** Returns whether the message cancels one of these requests. Over HTTP, closing the response cancels a request. */
  cancel(message: Message): boolean
}

const headerMismatch = -32020

export function createModernBridge({ http, output, signal, giveUp }: BridgeContext): ModernBridge {
  const open = new Map<Id, AbortController>()
  /** The arguments of each tool that headers must repeat. Loaded after a call was refused because they were missing. */
  const marks = new Map<string, readonly MarkedParam[]>()

  async function post(message: Message, own: AbortSignal): Promise<HubAnswer> {
    const { text: body } = message
    const response = await http.send({
      method: 'POST',
      headers: headersOf(message, marks),
      body,
      signal: own,
      isIdempotent: isIdempotent(message),
    })
    return readAnswer(response)
  }

  /** A client on stdio sends no headers, so the relay has to learn which arguments to repeat. */
  async function postWithMarks(message: Message, own: AbortSignal): Promise<HubAnswer> {
    const answer = await post(message, own)
    const tool = message.method === 'tools/call' ? message.params['name'] : undefined
    if (typeof tool !== 'string' || marks.has(tool) || !isMismatch(answer)) return answer
    await learnMarks(message, own)
    return marks.has(tool) ? post(message, own) : answer
  }

  async function learnMarks({ params, revision }: Message, own: AbortSignal): Promise<void> {
    let cursor: unknown
    do {
      const page = { _meta: params['_meta'], ...(cursor !== undefined && { cursor }) }
      const text = JSON.stringify({ jsonrpc: '2.0', id: 'relay', method: 'tools/list', params: page })
      const answer = await post({ text, ids: ['relay'], method: 'tools/list', params: page, revision }, own)
      const result = answer.is === 'text' ? readAnswers(answer.text)[0]?.result : undefined
      for (const tool of Array.isArray(result?.['tools']) ? result['tools'] : []) {
        if (isRecord(tool)) marks.set(String(tool['name']), markedParams(tool['inputSchema']))
      }
      cursor = result?.['nextCursor']
    } while (typeof cursor === 'string')
  }

  return {
    async request(message) {
      const [id = ''] = message.ids
      const cancelling = new AbortController()
      const own = AbortSignal.any([signal, cancelling.signal])
      open.set(id, cancelling)
      try {
        const { missing } = await forwardAnswer(await postWithMarks(message, own), message.ids, output)
        if (!own.aborted) await output.fail(missing, brokenOff(message))
      } catch (error) {
        if (!own.aborted) await giveUp(message.ids, error)
      } finally {
        open.delete(id)
      }
    },
    cancel({ method, params }) {
      const id = params['requestId']
      if (method !== 'notifications/cancelled' || !(typeof id === 'string' || typeof id === 'number')) return false
      const cancelling = open.get(id)
      cancelling?.abort()
      return cancelling !== undefined
    },
  }
}

function headersOf(
  { method = '', params, revision = '' }: Message,
  marks: ReadonlyMap<string, readonly MarkedParam[]>,
) {
  const named = namedField(method, params)
  const repeated = (method === 'tools/call' && marks.get(String(params['name']))) || []
  const headers: Headers = {
    'MCP-Protocol-Version': encodeHeader(revision),
    'Mcp-Method': encodeHeader(method),
    ...(named && { 'Mcp-Name': encodeHeader(named.value) }),
    ...Object.fromEntries(
      repeated.flatMap(({ header, path }) => {
        const value = valueAt(params['arguments'], path)
        return value === undefined ? [] : [[header, encodeHeader(String(value))]]
      }),
    ),
  }
  return headers
}

function isMismatch(answer: HubAnswer): boolean {
  return answer.is === 'text' && readAnswers(answer.text)[0]?.error?.code === headerMismatch
}

function brokenOff({ method }: Message) {
  return method === 'subscriptions/listen'
    ? unavailableError('The stream of notices broke off. Listen again, and read again what may have changed.')
    : outcomeUnknown
}
