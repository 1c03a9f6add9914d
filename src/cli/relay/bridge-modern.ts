/** Requests of 2026-07-28: each stands alone, with headers that repeat parts of it, and ends with its answer. */
import { encodeHeader, markedParams, namedField, valueAt } from '../../base/mcp-headers.ts'
import type { MarkedParam } from '../../base/mcp-headers.ts'
import { isRecord } from '../../base/is-record.ts'
import { passOn, readAnswer } from './hub-answer.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { Headers } from './hub-http.ts'
import type { BridgeContext } from './bridge-context.ts'
import type { Id, Message } from './message.ts'
import { readAnswers } from './message.ts'
import { outcomeUnknown, unavailableError } from './output.ts'
import { isRepeatable } from './repeatable.ts'

export interface ModernBridge {
  /** Resolves when it is answered, or cancelled. */
  request(message: Message): Promise<void>
  /** Whether the message cancels one of these requests. Over HTTP that is done by closing its answer. */
  cancel(message: Message): boolean
}

const headerMismatch = -32020

export function createModernBridge({ http, output, signal, giveUp }: BridgeContext): ModernBridge {
  const open = new Map<Id, AbortController>()
  /** By tool. Known for those that were refused for the lack of them. */
  const marks = new Map<string, readonly MarkedParam[]>()

  async function post(message: Message, own: AbortSignal): Promise<HubAnswer> {
    const { text: body } = message
    const response = await http.send({
      method: 'POST',
      headers: headersOf(message, marks),
      body,
      signal: own,
      isRepeatable: isRepeatable(message),
    })
    return readAnswer(response)
  }

  /** Over stdio no client repeats arguments in headers, so the relay has to learn which the hub wants. */
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
        const { missing } = await passOn(await postWithMarks(message, own), message.ids, output)
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
    ? unavailableError('The stream of notices broke off. Listen again, and read anew what may have changed.')
    : outcomeUnknown
}
