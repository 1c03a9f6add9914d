/** Anthropic Messages, as Claude Code speaks them. */
import type { JsonSchema, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { freshId, stepsOf, textsOf, usage } from './dialect.ts'
import type { Part } from './part.ts'
import { piecesOf } from './part.ts'

interface MessagesRequest {
  readonly messages?: readonly Message[]
  readonly tools?: readonly { readonly name: string }[]
  readonly output_config?: { readonly format?: { readonly schema?: JsonSchema } }
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Block[]
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: unknown
}

const tokens = {
  input_tokens: usage.input,
  output_tokens: usage.output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
}

export const messages: Dialect = {
  path: /\/messages$/,
  wantsStream: (body) => body['stream'] === true,
  read(body) {
    const { messages = [], tools = [], output_config }: MessagesRequest = body
    const schema = output_config?.format?.schema
    return {
      ...readTurns(messages.flatMap(turnsOf)),
      tools: tools.map(({ name }) => ({ name })),
      ...(schema && { schema }),
    }
  },
  whole: (parts) => ({
    ...emptyMessage(),
    content: parts.map(blockOf),
    stop_reason: stopReason(parts),
  }),
  stream: (parts) => ({
    head: [eventOf({ type: 'message_start', message: emptyMessage() }), eventOf({ type: 'ping' })],
    steps: parts.flatMap((part, index) => {
      const deltas = deltasOf(part).map((delta) => deltaEvent(index, delta))
      const signature =
        part.is === 'thought' ? [deltaEvent(index, { type: 'signature_delta', signature: 'signed' })] : []
      return stepsOf(part, deltas, {
        before: [eventOf({ type: 'content_block_start', index, content_block: emptyBlockOf(part) })],
        after: [...signature, eventOf({ type: 'content_block_stop', index })],
      })
    }),
    tail: [
      eventOf({
        type: 'message_delta',
        delta: { stop_reason: stopReason(parts), stop_sequence: null },
        usage: tokens,
      }),
      eventOf({ type: 'message_stop' }),
    ],
  }),
  failure: (status, message) => ({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }),
  full: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  },
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const emptyMessage = () => ({
  id: freshId('msg'),
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: tokens,
})

function turnsOf({ role, content }: Message): readonly Turn[] {
  if (role !== 'user') return []
  if (typeof content === 'string') return [{ from: 'person', texts: [content] }]
  const answers = content
    .filter(({ type }) => type === 'tool_result')
    .map((block): Turn => ({ from: 'tool', text: textsOf(block.content).join('\n') }))
  return [...answers, { from: 'person', texts: textsOf(content) }]
}

function eventOf(data: { readonly type: string; readonly [field: string]: unknown }): StreamEvent {
  return { event: data.type, data }
}

function deltaEvent(index: number, delta: object): StreamEvent {
  return eventOf({ type: 'content_block_delta', index, delta })
}

function stopReason(parts: readonly Part[]): string {
  return parts.some((part) => part.is === 'call') ? 'tool_use' : 'end_turn'
}

function blockOf(part: Part): object {
  switch (part.is) {
    case 'thought':
      return { type: 'thinking', thinking: part.deltas.join(''), signature: 'signed' }
    case 'text':
      return { type: 'text', text: part.deltas.join('') }
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.tool.name, input: part.input }
  }
}

function emptyBlockOf(part: Part): object {
  switch (part.is) {
    case 'thought':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '' }
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.tool.name, input: {} }
  }
}

function deltasOf(part: Part): readonly object[] {
  switch (part.is) {
    case 'thought':
      return part.deltas.map((thinking) => ({ type: 'thinking_delta', thinking }))
    case 'text':
      return part.deltas.map((text) => ({ type: 'text_delta', text }))
    case 'call':
      return piecesOf(JSON.stringify(part.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  }
}
