/** Anthropic Messages, as Claude Code speaks them. */
import type { JsonSchema, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { freshId, piecesOf, textsOf } from './dialect.ts'
import type { Part } from './script.ts'

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

const usage = { input_tokens: 10, output_tokens: 10 }

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
  head: () => [eventOf({ type: 'message_start', message: emptyMessage() }), eventOf({ type: 'ping' })],
  *rest(parts) {
    for (const [index, part] of parts.entries()) {
      yield eventOf({ type: 'content_block_start', index, content_block: emptyBlockOf(part) })
      for (const delta of deltasOf(part)) yield eventOf({ type: 'content_block_delta', index, delta })
      yield eventOf({ type: 'content_block_stop', index })
    }
    yield eventOf({ type: 'message_delta', delta: { stop_reason: stopReason(parts), stop_sequence: null }, usage })
    yield eventOf({ type: 'message_stop' })
  },
}

const emptyMessage = () => ({
  id: freshId('msg'),
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
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

function stopReason(parts: readonly Part[]): string {
  return parts.some((part) => part.is === 'call') ? 'tool_use' : 'end_turn'
}

function blockOf(part: Part): object {
  switch (part.is) {
    case 'thought':
      return { type: 'thinking', thinking: part.text, signature: 'signed' }
    case 'text':
      return { type: 'text', text: part.text }
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
      return [
        { type: 'thinking_delta', thinking: part.text },
        { type: 'signature_delta', signature: 'signed' },
      ]
    case 'text':
      return piecesOf(part.text).map((text) => ({ type: 'text_delta', text }))
    case 'call':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(part.input) }]
  }
}
